#pragma once

#include "stash/predict/prediction.h"

namespace stash {

// Who else has the error of a predicted step, as shares of its variance, which sum to 1.
struct ErrorShares {
  double job = 0;      // every machine: the job's layer times are off on all GPUs alike
  double gpu = 0;      // machines with this GPU
  double links = 0;    // machines with such links
  double network = 0;  // machines of this cloud
  double input = 0;    // every machine: what a sample costs
  double own = 0;      // all node counts of this machine
};

ErrorShares error_shares(const Prediction& prediction);

}  // namespace stash
