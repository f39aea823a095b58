#include "scripted_workload.h"

#include <fmt/format.h>

#include <cmath>

#include "stash/core/error.h"
#include "stash/ruler/switch_position.h"

namespace stash {
namespace {

double extra_s(const std::map<int, double>& by_rank, int rank) {
  const auto found = by_rank.find(rank);
  return found == by_rank.end() ? 0 : found->second;
}

}  // namespace

ScriptedWorkload::ScriptedWorkload(const Script& script, const Job& job, int rank, MeetingPlace& place,
                                   SimulatedClock& clock)
    : script_(script),
      job_(job),
      rank_(rank),
      place_(place),
      clock_(clock),
      chance_(script.noise),
      queue_(job.prefetch, [this](int batch) { return batch_ns(batch); }) {}

// A job that waits for its input: a step takes as long as a batch.
std::int64_t ScriptedWorkload::batch_ns(int batch) const {
  const bool announced = batch >= pages_from_ && batch < pages_until_;
  const bool cold = announced ? condition_ == Condition::cold : !script_.pages_cached;
  const double made_s = script_.step_s(cold ? Condition::cold : Condition::hot);
  const double slowed = chance_.slowed(clock_.true_ns());
  return nanoseconds(std::max(0.0, slowed * made_s + chance_.batch_s(static_cast<std::uint64_t>(batch))));
}

void ScriptedWorkload::apply(const Variant& variant) {
  note("apply " + variant.name);
  if (script_.refuses && *script_.refuses == std::pair(rank_, variant.name)) throw Error("it cannot");
  saved_s_ = script_.saves_s.at(variant.name);
}

void ScriptedWorkload::undo() {
  note("undo");
  saved_s_ = 0;
}

std::optional<double> ScriptedWorkload::enter(Condition condition, int steps) {
  note(fmt::format("enter {} {}", to_string(condition), steps));
  condition_ = condition;
  takes_part_ = condition != Condition::solo || rank_ == 0;
  const bool off = switch_position(condition) == SwitchPosition::off;
  weights_differ_ = off || (weights_differ_ && !script_.matches_weights);
  if (!uses_input(condition)) return std::nullopt;
  if (script_.drains) queue_.drain();
  pages_from_ = queue_.next();
  pages_until_ = pages_from_ + steps;
  return condition == Condition::cold ? 0 : 1;
}

void ScriptedWorkload::go() {
  note("go");
  if (uses_input(condition_)) queue_.resume(clock_.true_ns());
}

std::optional<double> ScriptedWorkload::run(int steps) {
  note(fmt::format("run {}", steps));
  ++runs_;
  if (!takes_part_) return std::nullopt;
  const std::int64_t start_ns = clock_.true_ns();
  if (open_ && span_room_) trace_ = TimedTrace{.trace = {}, .began_ns = clock_.now_ns()};
  clock_.advance(chance_.hit_s(static_cast<std::uint64_t>(runs_)));
  for (int i = 0; i < steps; ++i) step(i);
  clock_.advance(script_.stop_s);
  return seconds(clock_.true_ns() - start_ns);
}

void ScriptedWorkload::step(int index) {
  const std::int64_t start_ns = clock_.now_ns();
  bool& warm = warm_[static_cast<std::size_t>(condition_)];
  if (!warm) clock_.advance(script_.warmup_s);
  warm = true;
  if (uses_input(condition_)) take_batch();
  double compute_s = script_[Part::compute] - saved_s_ + added_s(Condition::apart) + added_s(Condition::staged);
  if (condition_ != Condition::solo) compute_s += extra_s(script_.late_s, rank_);
  const auto run = static_cast<std::uint64_t>(runs_), place = static_cast<std::uint64_t>(index);
  clock_.advance(compute_s * chance_.slowed(clock_.true_ns()) + chance_.step_s(run, place));
  if (switch_position(condition_) != SwitchPosition::off) communicate();
  if (!trace_ || !open_ || trace_->trace.host.size() >= *span_room_) return;
  trace_->trace.host.push_back({.kind = SpanKind::step,
                                .start_us = (start_ns - trace_->began_ns) / 1000,
                                .length_us = (clock_.now_ns() - start_ns) / 1000});
}

void ScriptedWorkload::take_batch() {
  const std::int64_t there_ns = queue_.take(clock_.true_ns());
  waited_s_ += seconds(there_ns - clock_.true_ns());
  clock_.reach(there_ns);
}

// All leave when the last has come and the bytes have passed.
void ScriptedWorkload::communicate() {
  clock_.advance(extra_s(script_.late_link_s, rank_));
  const std::int64_t came_ns = clock_.true_ns();
  if (open_) sight_.arrivals_s.push_back(seconds(clock_.now_ns()));
  clock_.reach(latest_ns(*place_.meet(rank_, {.at_ns = came_ns})));
  const double transfer_s = added_s(Condition::node) + added_s(Condition::joined);
  clock_.advance(transfer_s * chance_.slowed(clock_.true_ns()));
  collective_s_ += seconds(clock_.true_ns() - came_ns);
}

double ScriptedWorkload::added_s(Condition condition) const {
  return condition_ >= condition ? script_[part_added_by(condition)] : 0;
}

void ScriptedWorkload::leave() {
  note("leave");
  if (uses_input(condition_) && script_.drains) queue_.pause(clock_.true_ns());
}

double ScriptedWorkload::stop_s() {
  clock_.advance(script_.stop_s);
  return script_.stop_s;
}

std::optional<double> ScriptedWorkload::loss() const {
  const bool diverged = script_.diverges_after_runs && runs_ >= *script_.diverges_after_runs;
  return diverged && rank_ == script_.ranks - 1 ? NAN : 1.0;
}

std::optional<double> ScriptedWorkload::weight_sum() const {
  if (switch_position(condition_) == SwitchPosition::off) return std::nullopt;
  return weights_differ_ ? rank_ : 0;
}

void ScriptedWorkload::prepare(const Variant&, std::optional<std::size_t> span_room) {
  note("prepare");
  span_room_ = span_room;
  trace_.reset();
}

void ScriptedWorkload::start() {
  note("start");
  sight_ = {.input_wait_s = waited_s_, .collective_s = collective_s_, .queued_start_samples = queued_samples()};
  open_ = true;
}

WindowSight ScriptedWorkload::stop() {
  note("stop");
  open_ = false;
  sight_.input_wait_s = waited_s_ - sight_.input_wait_s;
  sight_.collective_s = collective_s_ - sight_.collective_s;
  sight_.queued_end_samples = queued_samples();
  return sight_;
}

std::optional<TimedTrace> ScriptedWorkload::trace(double) { return trace_; }

std::optional<double> ScriptedWorkload::queued_samples() {
  if (!uses_input(condition_)) return std::nullopt;
  return job_.batch * queue_.ready(clock_.true_ns());
}

}  // namespace stash
