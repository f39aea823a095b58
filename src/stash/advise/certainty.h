#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stash/advise/candidate.h"
#include "stash/advise/goal.h"

namespace stash {

// What the draws say of the candidates, by candidate, and of all together.
struct Certainty {
  std::vector<double> first_ratio;  // sums to 1
  std::vector<double> meets_ratio;
  double none_meets_ratio = 0;  // of the draws, in which no candidate meets
};

// Steps vary within their intervals: log-normal on either side of the predicted step, with 95 % inside. Machines with
// the same GPU share the error of its layer times, node counts of a machine that of its links. Ties go to the
// candidate that stands earlier.
Certainty draw_certainty(std::span<const Candidate> candidates, const Goal& goal, std::uint64_t seed);

}  // namespace stash
