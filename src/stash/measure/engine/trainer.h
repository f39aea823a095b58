#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "stash/core/profile.h"
#include "stash/launch/shared_state.h"
#include "stash/measure/engine/network.h"
#include "stash/measure/span_log.h"
#include "stash/measure/torch_headers.h"

namespace c10d {
class Reducer;
}

namespace stash {

// Data-parallel training of a network, with the gradient reducer of DistributedDataParallel.
class Trainer {
 public:
  // `group` carries the gradients; `delay_s` is slept in every step (an injected stall).
  Trainer(Network& network, Device& device, c10::intrusive_ptr<c10d::ProcessGroup> group, std::int64_t bucket_bytes,
          double delay_s, RankState& state, SpanLog& spans);
  ~Trainer();

  void broadcast_weights();   // rank 0's parameters and buffers, to all; momentum starts anew
  double weight_sum() const;  // of one parameter: tells ranks with different weights apart
  void step(const Batch& batch);
  std::optional<double> loss() const;   // of the last step; absent on the emulated accelerator
  std::vector<Bucket> buckets() const;  // as they go out, after the first steps

 private:
  void delay();

  Network& network_;
  Device& device_;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  std::unique_ptr<c10d::Reducer> reducer_;
  double delay_s_;
  RankState& state_;
  SpanLog& spans_;
  at::Tensor loss_;
};

}  // namespace stash
