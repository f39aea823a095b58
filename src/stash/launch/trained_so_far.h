#pragma once

namespace stash {

// What a built-in job has trained, where it does nothing else.
struct TrainedSoFar {
  double samples = 0;  // of all ranks
  double s = 0;
  double waited_s = 0;  // of it, by rank 0 for batches
  int workers = 1;      // of rank 0, now
};

}  // namespace stash
