#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stash/advise/candidate.h"
#include "stash/advise/draws.h"
#include "stash/advise/goal.h"

namespace stash {

// What the draws say of the candidates, by candidate.
struct Certainty {
  std::vector<double> first_ratio;  // of the draws, in which it is first; sums to 1
  std::vector<Draws> steps;         // how its step turns out against the predicted one
};

// Steps vary within their intervals. Errors are drawn once for all that share them (ErrorShares), so that they cancel
// where candidates are compared. Ties go to the candidate that stands earlier.
Certainty draw_certainty(std::span<const Candidate> candidates, const Goal& goal, std::uint64_t seed);

}  // namespace stash
