#pragma once

#include <map>
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
  std::optional<double> loss() const;  // of the last step; absent on the emulated accelerator
  // The steps that follow sum their gradients in buckets of this size. Its reducer is made when it is first asked for,
  // and stays: one that no step prepares does nothing.
  void use_bucket(std::int64_t bytes);
  void set_delayed(bool delayed) { delayed_ = delayed; }  // whether the injected delay is slept
  std::vector<Bucket> buckets() const;                    // as they go out, after the first steps

 private:
  void delay();

  Network& network_;
  Device& device_;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  std::map<std::int64_t, std::unique_ptr<c10d::Reducer>> reducers_;  // by bucket size
  c10d::Reducer* reducer_ = nullptr;                                 // in use
  double delay_s_;
  bool delayed_ = true;
  RankState& state_;
  SpanLog& spans_;
  at::Tensor loss_;
};

}  // namespace stash
