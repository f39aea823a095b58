#include "stash/ruler/ruler.h"

#include <algorithm>

#include "stash/attribute/schedule.h"
#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/ruler/agreement.h"
#include "stash/ruler/window_gather.h"

namespace stash {
namespace {

constexpr int kEdgeSamples = 9;
constexpr int kFirstLookSteps = 2;    // of the pilot
constexpr int kSecondLookFactor = 3;  // this factor more steps make a second look worth its lead-in

// All conditions of one round are traced, so that what little it costs is in none of their differences. The second:
// the first meets what a warm-up left undone.
constexpr int kTracedRound = 1;
constexpr std::size_t kProfileSpans = 100'000;  // of all ranks and conditions: some 4 MB of the profile
constexpr std::size_t kWindowSpans = 2048;      // of a rank: a hundred steps with twenty collectives
constexpr std::size_t kFewestSpans = 32;        // a step or two, however many ranks there are

// With very many ranks the last ones have none.
std::size_t trace_room(const Control& control, std::size_t conditions) {
  const auto rank = static_cast<std::size_t>(control.rank()), ranks = static_cast<std::size_t>(control.size());
  if (rank >= kProfileSpans / (conditions * kFewestSpans)) return 0;
  return std::clamp(kProfileSpans / (ranks * conditions), kFewestSpans, kWindowSpans);
}

}  // namespace

// A first step may take seconds, in which workers fill their queue: the window that follows it would use that up.
void Ruler::touch(const Variant& variant) {
  workload_.probe().prepare(variant, std::nullopt);
  workload_.enter(variant.condition, 1);
  workload_.go();
  workload_.run(1);
  workload_.leave();
}

// The seconds of one step, on the slowest rank. The lead-in meets first touches: compilation, allocation, connections.
double Ruler::time_steps(const Variant& variant, int steps) {
  const int lead_in = lead_in_steps(as_changed(job_, variant), variant.condition);
  workload_.probe().prepare(variant, std::nullopt);
  workload_.enter(variant.condition, steps + lead_in);
  workload_.go();
  workload_.run(lead_in);
  control_.barrier();
  const double own_s = workload_.run(steps).value_or(0) / steps;
  workload_.leave();
  check_loss(control_, workload_);
  return control_.largest(own_s);
}

// Two steps tell enough of long ones; short ones get a second look.
double Ruler::pilot_step_s(const Variant& variant) {
  const double step_s = time_steps(variant, kFirstLookSteps);
  const int steps = pilot_steps(step_s);
  return steps <= kSecondLookFactor * kFirstLookSteps ? step_s : time_steps(variant, steps);
}

// False, on all ranks: some rank could not. Those that could have undone it.
bool Ruler::make_change(const Variant& variant) {
  if (variant.is_plain()) return true;
  std::string why;
  try {
    workload_.apply(variant);
  } catch (const Error& error) {
    why = error.what();
  }
  if (!control_.any(!why.empty())) return true;
  if (why.empty()) {
    workload_.undo();
  } else {
    report_.dropped(variant, why);
  }
  return false;
}

void Ruler::undo_change(const Variant& variant) {
  if (!variant.is_plain()) workload_.undo();
}

// Their first touches, and how long a step takes with the change, whatever it does.
void Ruler::pilot_variants(const std::vector<Variant>& variants) {
  variants_.clear();
  double sum_s = 0;
  for (const Variant& variant : variants) {
    if (!make_change(variant)) continue;
    if (uses_input(variant.condition)) touch(variant);
    const double step_s = pilot_step_s(variant);
    undo_change(variant);
    const Job changed = as_changed(job_, variant);
    steps_[variant] = window_steps(changed, variant.condition, step_s, edge_s_);
    sum_s += step_s * (steps_[variant] + lead_in_steps(changed, variant.condition));
    variants_.push_back(variant);
  }
  if (variants_.empty()) return;
  const double variant_s = sum_s / static_cast<double>(variants_.size());
  variants_of_round_ = variants_in_round(round_s_, variant_s, variants_.size());
  round_s_ += variant_s * static_cast<double>(variants_of_round_);
}

// A window without steps: what meeting, starting and stopping cost.
double Ruler::measure_edge() {
  std::vector<double> samples;
  for (int i = 0; i < kEdgeSamples; ++i) {
    control_.barrier();
    const std::int64_t start_ns = time_.now_ns();
    control_.barrier();
    const double start_s = seconds(time_.now_ns() - start_ns);
    samples.push_back(start_s + workload_.stop_s());
  }
  std::nth_element(samples.begin(), samples.begin() + kEdgeSamples / 2, samples.end());
  return control_.largest(samples[kEdgeSamples / 2]);
}

void Ruler::pilot(const std::vector<Condition>& conditions, const std::vector<Variant>& variants) {
  conditions_ = conditions;
  edge_s_ = measure_edge();
  round_s_ = 0;
  double step_s = 0;
  for (const Condition condition : conditions_) {
    const Variant plain{condition};
    if (uses_input(condition)) touch(plain);
    // Steps grow along the chain: where the last condition's are long enough already, this one's need not be timed.
    const int fewest = fewest_window_steps(job_, condition);
    if (window_steps(job_, condition, step_s, edge_s_) > fewest) step_s = pilot_step_s(plain);
    steps_[plain] = window_steps(job_, condition, step_s, edge_s_);
    round_s_ += step_s * (steps_[plain] + lead_in_steps(job_, condition));
  }
  pilot_variants(variants);
  rounds_start_ns_ = time_.now_ns();
  report_.pilot(edge_s_, round_s_, rounds_start_ns_);
}

// All conditions, and the variants whose turn it is: each comes as often as the others.
std::vector<Variant> Ruler::due(int round) const {
  std::vector<Variant> due;
  for (const Condition condition : conditions_) due.push_back({condition});
  const std::size_t count = std::min(variants_of_round_, variants_.size());
  for (std::size_t i = 0; i < count; ++i) {
    due.push_back(variants_[(static_cast<std::size_t>(round) * count + i) % variants_.size()]);
  }
  return due;
}

bool Ruler::round(int index, Profile& so_far, const std::function<bool()>& stop) {
  align();
  const std::vector<Variant> due = this->due(index);
  for (const std::size_t place : round_order(due.size(), job_.seed, index)) {
    const Variant& variant = due[place];
    if (control_.any(stop())) return false;
    if (!make_change(variant)) {
      std::erase(variants_, variant);
      continue;
    }
    add_window(so_far, measure(index, variant));
    undo_change(variant);
    check_loss(control_, workload_);
  }
  return true;
}

Window Ruler::measure(int round, const Variant& variant) {
  const Condition condition = variant.condition;
  const bool traced = round == kTracedRound && variant.is_plain();
  const int lead_in = lead_in_steps(as_changed(job_, variant), condition);
  WindowProbe& probe = workload_.probe();
  Window window;
  window.round = round;
  window.condition = condition;
  window.variant = variant.name;
  window.steps = steps_.at(variant);
  probe.prepare(variant, traced ? std::optional(trace_room(control_, conditions_.size())) : std::nullopt);
  window.resident_ratio = workload_.enter(condition, window.steps + lead_in);
  check_weights(control_, workload_, condition);
  workload_.go();
  workload_.run(lead_in);
  probe.start();

  // Workers go on while ranks meet, which takes them no longer than an edge. Were they held, samples half made would
  // be finished meanwhile and the window would get them for nothing.
  control_.barrier();
  const std::optional<double> wall_s = workload_.run(window.steps);

  const WindowSight sight = probe.stop();
  workload_.leave();
  window.queued_start_samples = sight.queued_start_samples;
  window.queued_end_samples = sight.queued_end_samples;
  window.ranks = gather_samples(control_, wall_s, sight);
  gather_arrivals(control_, sight.arrivals_s, clock_.offset_s, window);
  report_.window(window);
  if (traced) report_.trace(gather_trace(control_, window, probe.trace(wall_s.value_or(0)), clock_.offset_s));
  return window;
}

// Clocks of different hosts drift apart: they are compared anew in every round.
void Ruler::align() {
  if (control_.size() == 1) return;
  clock_ = align_clocks(control_, time_);
  clocks_s_ = std::max(clocks_s_, control_.largest(clock_.uncertainty_s));
}

}  // namespace stash
