#include "stash/study/communication_stall.h"

#include <vector>

#include "stash/predict/bucket_calls.h"

namespace stash {

double stall_s(const Observation& observation, const Communication& communication) {
  std::vector<BucketCall> calls;
  calls.reserve(observation.buckets.size());
  for (const ReadyBucket& bucket : observation.buckets) {
    calls.push_back({bucket.ready_s, communication.latency_s + bucket.bytes * communication.s_per_byte});
  }
  const Passed passed = pass_calls(calls, observation.backward_s, {observation.in_flight, communication.paired_ratio});
  return passed.exposed_s + communication.slowdown_ratio * passed.hidden_s;
}

}  // namespace stash
