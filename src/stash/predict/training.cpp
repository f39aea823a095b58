#include "stash/predict/training.h"

#include <vector>

namespace stash {
namespace {

constexpr double kScalarBytes = 4;

// Every rank does the same, so a bucket goes out when one rank has filled it.
Passed pass_buckets(const Training& training, double slow_down, double backward_s) {
  if (training.all_reduce.empty()) return {};
  std::vector<BucketCall> calls;
  calls.reserve(training.shape.buckets.size());
  for (const ReadyBucket& bucket : training.shape.buckets) {
    calls.push_back({bucket.ready_s * slow_down, training.all_reduce.for_bytes(bucket.bytes).s(bucket.bytes)});
  }
  return pass_calls(calls, backward_s, training.in_flight);
}

}  // namespace

double blocking_s(const Training& training) {
  if (training.all_reduce.empty()) return 0;
  return training.job.blocking_calls * training.all_reduce.for_bytes(kScalarBytes).s(kScalarBytes);
}

double last_micro_batch_s(const Training& training) {
  // Where nobody sends, nobody waits.
  const double waits = training.all_reduce.empty() ? 0 : training.costs.wait_ratio;
  const double slow_down = training.slow_down * (1 + waits);
  const double backward_s = training.shape.backward_s * slow_down;
  const Passed passed = pass_buckets(training, slow_down, backward_s);
  return training.shape.forward_s * slow_down + backward_s + passed.exposed_s +
         training.costs.overlap_ratio * passed.hidden_s + training.job.optimizer_s * slow_down + blocking_s(training) +
         training.groups_s;
}

}  // namespace stash
