#pragma once

#include <span>
#include <string>
#include <vector>

#include "stash/advise/candidate.h"
#include "stash/advise/goal.h"

namespace stash {

// What would put another machine first: prices, step times, another deadline or budget. A machine's price or step
// time changes for all its node counts. `ranked` is best first, and its first meets the goal.
std::vector<std::string> what_would_change(std::span<const Candidate> ranked, const Goal& goal,
                                           const AdviceQuestion& question);

}  // namespace stash
