#include "stash/measure/workload.h"

#include "stash/core/clock.h"

namespace stash {

Workload::Workload(Trainer& trainer, SwitchBackend& backend, BatchSource& batches, Pipeline* pipeline,
                   bool first_on_node, bool several_nodes, bool weights_change, double warmup_s)
    : trainer_(trainer), backend_(backend), batches_(batches), pipeline_(pipeline), first_on_node_(first_on_node),
      several_nodes_(several_nodes), weights_change_(weights_change), warmup_s_(warmup_s) {}

SwitchPosition Workload::position(Condition condition) const {
  switch (condition) {
    case Condition::solo:
    case Condition::apart: return SwitchPosition::off;
    case Condition::node: return SwitchPosition::node;
    default: return SwitchPosition::pass;
  }
}

// Ranks that trained apart have drifted apart: rank 0's weights go to all before gradients are summed again.
void Workload::match_weights(Condition condition) {
  const bool together = position(condition) == SwitchPosition::pass || !several_nodes_;
  if (weights_differ_ && position(condition) != SwitchPosition::off) {
    backend_.set_position(SwitchPosition::pass);
    trainer_.broadcast_weights();
    weights_differ_ = false;
  }
  if (weights_change_ && (position(condition) == SwitchPosition::off || !together)) weights_differ_ = true;
}

std::optional<double> Workload::enter(Condition condition, int steps) {
  condition_ = condition;
  takes_part_ = condition != Condition::solo || first_on_node_;
  match_weights(condition);
  backend_.set_position(position(condition));
  if (!uses_input(condition)) return std::nullopt;
  // What was prepared while other conditions ran would make the first steps free.
  pipeline_->drain();
  pipeline_->set_cold(condition == Condition::cold);
  return condition == Condition::cold ? pipeline_->evict_upcoming(steps) : pipeline_->load_upcoming(steps);
}

void Workload::go() {
  if (uses_input(condition_)) pipeline_->resume();
}

void Workload::warm_up() {
  bool& warm = warm_[static_cast<std::size_t>(condition_)];
  if (!warm && warmup_s_ > 0) sleep_until_ns(now_ns() + nanoseconds(warmup_s_));
  warm = true;
}

void Workload::step() {
  if (!takes_part_) return;
  warm_up();
  if (uses_input(condition_)) return trainer_.step(batches_.next());
  trainer_.step(condition_ == Condition::staged ? batches_.staged() : batches_.resident());
}

void Workload::leave() {
  if (!uses_input(condition_)) return;
  batches_.finish();
  pipeline_->pause();
}

}  // namespace stash
