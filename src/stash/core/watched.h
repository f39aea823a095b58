#pragma once

#include <cstdint>
#include <vector>

#include "stash/core/profile.h"

namespace stash {

// What one rank of a watched script has done since its first step.
struct WatchedRank {
  int rank = 0;
  std::int64_t steps = 0;
  double step_s = 0;                           // of all of them
  double input_wait_s = 0;                     // of that, waiting for batches
  std::vector<CollectiveSummary> collectives;  // from issue to completion; they overlap compute
};

}  // namespace stash
