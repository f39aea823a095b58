#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "stash/advise/candidate.h"
#include "stash/advise/goal.h"

namespace stash {

struct RankedCandidate : Candidate {
  double meets_ratio = 1;    // the probability that it meets the goal
  double first_ratio = 0;    // of the draws, in which it is first; sums to 1
  std::optional<int> group;  // near-ties have the same, from 1 on; nullopt: it is not sure to meet the goal
};

// Best first. Those that are sure to meet the goal come by group, a group by the fewest machines, the fewest GPUs, then
// the higher probability. Then come the others, the more probable first, and those that have no chance by how far they
// are from the goal.
struct Ranking {
  std::vector<RankedCandidate> candidates;
  std::size_t sure = 0;              // so many of them are sure to meet the goal
  std::optional<std::size_t> surer;  // the best that meets with kSurerRatio, where the first does not
};

Ranking rank(std::vector<Candidate> candidates, const Goal& goal, std::uint64_t seed);

}  // namespace stash
