#include "stash/measure/engine/builtin_workload.h"

#include "stash/core/clock.h"
#include "stash/core/fix.h"

namespace stash {

BuiltinWorkload::BuiltinWorkload(const Job& job, Trainer& trainer, Device& device, SwitchBackend& backend,
                                 BatchSource& batches, Pipeline* pipeline, SpanLog& spans, bool first_on_node,
                                 bool several_nodes)
    : job_(job),
      trainer_(trainer),
      device_(device),
      backend_(backend),
      batches_(batches),
      pipeline_(pipeline),
      spans_(spans),
      first_on_node_(first_on_node),
      several_nodes_(several_nodes),
      probe_(backend.log(), spans, device.torch_device(),
             {.waited_s = [&batches] { return batches.waited_s(); },
              .queued_samples = [pipeline] { return std::optional(pipeline->queued_samples()); },
              .collect_device_times = [&backend] { backend.collect_device_times(); }}) {}

// One rank sums with nobody, so no condition may differ by it: a real one issues its collectives in all of them, an
// emulated one in none, because its device would wait for them in real time.
SwitchPosition BuiltinWorkload::position() const {
  if (job_.ranks > 1) return switch_position(condition_);
  return device_.emulated() != nullptr ? SwitchPosition::off : SwitchPosition::pass;
}

// Ranks that trained apart have drifted apart: rank 0's weights go to all before gradients are summed again.
void BuiltinWorkload::match_weights() {
  const SwitchPosition position = this->position();
  const bool together = position == SwitchPosition::pass || !several_nodes_;
  if (weights_differ_ && position != SwitchPosition::off) {
    backend_.set_position(SwitchPosition::pass);
    trainer_.broadcast_weights();
    weights_differ_ = false;
  }
  const bool weights_change = device_.emulated() == nullptr;
  if (weights_change && (position == SwitchPosition::off || !together)) weights_differ_ = true;
}

void BuiltinWorkload::apply(const Variant& variant) {
  const std::optional<Fix> fix = fix_of(variant.name);
  if (!fix) return Workload::apply(variant);
  const auto value = static_cast<int>(fix->value);
  switch (fix->kind) {
    case FixKind::half_gradients:
      return backend_.set_halves(true);
    case FixKind::bucket:
      return trainer_.use_bucket(fix->value);
    case FixKind::workers:
      return pipeline_->set_workers(value);
    case FixKind::prefetch:
      return pipeline_->set_prefetch(value);
    case FixKind::no_delay:
      return trainer_.set_delayed(backend_.getRank() != value);
    case FixKind::pinned:
      return Workload::apply(variant);
  }
}

void BuiltinWorkload::undo() {
  backend_.set_halves(false);
  trainer_.use_bucket(job_.bucket_bytes);
  trainer_.set_delayed(true);
  if (pipeline_ == nullptr) return;
  pipeline_->set_workers(job_.workers);
  pipeline_->set_prefetch(job_.prefetch);
}

std::optional<double> BuiltinWorkload::enter(Condition condition, int steps) {
  condition_ = condition;
  takes_part_ = condition != Condition::solo || first_on_node_;
  match_weights();
  backend_.set_position(position());
  if (!uses_input(condition)) return std::nullopt;
  // What was prepared while other conditions ran would make the first steps free.
  pipeline_->drain();
  pipeline_->set_cold(condition == Condition::cold);
  return condition == Condition::cold ? pipeline_->evict_upcoming(steps) : pipeline_->load_upcoming(steps);
}

void BuiltinWorkload::go() {
  if (uses_input(condition_)) pipeline_->resume();
}

void BuiltinWorkload::warm_up() {
  const double warmup_s = job_.inject.warmup_s.value_or(0);
  bool& warm = warm_[static_cast<std::size_t>(condition_)];
  if (!warm && warmup_s > 0) sleep_until_ns(now_ns() + nanoseconds(warmup_s));
  warm = true;
}

void BuiltinWorkload::step() {
  warm_up();
  if (uses_input(condition_)) {
    trainer_.step(batches_.next());
  } else {
    trainer_.step(condition_ == Condition::staged ? batches_.staged() : batches_.resident());
  }
  spans_.end_step();
}

std::optional<double> BuiltinWorkload::run(int steps) {
  const std::int64_t start_ns = now_ns();
  // The time since the last run was spent on other things than steps.
  if (EmulatedStream* const stream = device_.emulated(); stream != nullptr) stream->arrive(start_ns);
  if (takes_part_) {
    spans_.begin(start_ns);
    for (int i = 0; i < steps; ++i) step();
  }
  const double wall_s = seconds(device_.finish_ns() - start_ns);
  return takes_part_ ? std::optional(wall_s) : std::nullopt;
}

void BuiltinWorkload::leave() {
  if (!uses_input(condition_)) return;
  batches_.finish();
  pipeline_->pause();
}

std::optional<double> BuiltinWorkload::weight_sum() const {
  return position() == SwitchPosition::off ? std::nullopt : std::optional(trainer_.weight_sum());
}

}  // namespace stash
