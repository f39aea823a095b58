#include "stash/predict/training.h"

#include <algorithm>

namespace stash {

// Every rank does the same, so a bucket goes out when one rank has filled it, and buckets pass one after the other.
double last_micro_batch_s(const Training& training) {
  const double backward_s = training.shape.backward_s * training.slow_down;
  double sent_s = 0;
  if (!training.all_reduce.empty()) {
    for (const ReadyBucket& bucket : training.shape.buckets) {
      const double ready_s = bucket.ready_s * training.slow_down;
      sent_s = std::max(sent_s, ready_s) + training.all_reduce.for_bytes(bucket.bytes).s(bucket.bytes);
    }
  }
  return training.shape.forward_s * training.slow_down + std::max(backward_s, sent_s) +
         training.job.optimizer_s * training.slow_down;
}

}  // namespace stash
