#pragma once

#include "stash/core/job.h"
#include "stash/core/ledger.h"

namespace stash::bench {

// What the step of a job on an emulated accelerator takes under each condition, worked out from what was injected:
// the layers' times, the link's rate, the ranks' delays, the time and the bytes of a sample. Nothing of it is measured.
struct Truth {
  double solo_s = 0;
  double apart_s = 0;
  double node_s = 0;
  double hot_s = 0;
  double cold_s = 0;

  double part_s(Part part) const;
};

// `sample_bytes` is the mean size of a file of the data set.
Truth true_ledger(const Job& job, double sample_bytes);

}  // namespace stash::bench
