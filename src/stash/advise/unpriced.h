#pragma once

#include <string>
#include <vector>

#include "stash/advise/candidate.h"
#include "stash/advise/question.h"

namespace stash {

// Takes out the candidates without a price, which cannot stand beside those that have one, and rejects each machine
// once. Returns a note on how long they would take; empty: all have a price.
std::string leave_out_unpriced(std::vector<Candidate>& candidates, const AdviceQuestion& question,
                               std::vector<Rejected>& rejected);

}  // namespace stash
