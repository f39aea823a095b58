#pragma once

#include <span>
#include <string>
#include <vector>

#include "stash/advise/candidate.h"
#include "stash/advise/goal.h"

namespace stash {

// Where nothing meets the goal: how far the closest is from it, and what it would take. `ranked` is closest first.
std::vector<std::string> what_it_would_take(std::span<const Candidate> ranked, const Goal& goal,
                                            const AdviceQuestion& question);

}  // namespace stash
