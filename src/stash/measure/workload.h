#pragma once

#include <array>
#include <optional>

#include "stash/core/condition.h"
#include "stash/input/pipeline.h"
#include "stash/measure/batch_source.h"
#include "stash/measure/switch_backend.h"
#include "stash/measure/trainer.h"

namespace stash {

// The job under the conditions of the chain: enter one, step, leave it.
class Workload {
 public:
  // `first_on_node`: the rank that computes in `solo`. `pipeline` may be null when no condition uses input.
  // `warmup_s` is slept in the first step under each condition (an injected stall).
  Workload(Trainer& trainer, SwitchBackend& backend, BatchSource& batches, Pipeline* pipeline, bool first_on_node,
           bool several_nodes, bool weights_change, double warmup_s);

  // Every rank enters together. `steps` will follow; the pages of their samples are evicted or loaded.
  // Returns the share of those pages that is cached afterwards, where that is known.
  std::optional<double> enter(Condition condition, int steps);
  void go();          // what runs in the background starts
  void step();        // nothing on a rank that waits under this condition
  void leave();
  bool takes_part() const { return takes_part_; }

 private:
  SwitchPosition position(Condition condition) const;
  void match_weights(Condition condition);
  void warm_up();

  Trainer& trainer_;
  SwitchBackend& backend_;
  BatchSource& batches_;
  Pipeline* pipeline_;
  bool first_on_node_;
  bool several_nodes_;
  bool weights_change_;
  bool weights_differ_ = false;
  bool takes_part_ = true;
  double warmup_s_;
  std::array<bool, kConditions.size()> warm_{};
  Condition condition_ = Condition::joined;
};

}  // namespace stash
