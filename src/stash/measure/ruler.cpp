#include "stash/measure/ruler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/attribute/arrivals.h"
#include "stash/attribute/schedule.h"
#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/measure/events.h"
#include "stash/measure/switch_backend.h"

namespace stash {
namespace {

constexpr int kEdgeSamples = 9;
constexpr int kFirstLookSteps = 2;    // of the pilot
constexpr int kSecondLookFactor = 3;  // so many times as many steps make a second look worth its lead-in

// All conditions of one round are traced, so that what little it costs is in none of their differences. The second:
// the first meets what a warm-up left undone.
constexpr int kTracedRound = 1;
constexpr std::size_t kProfileSpans = 100'000;  // of all ranks and conditions: some 4 MB of the profile
constexpr std::size_t kWindowSpans = 2048;      // of a rank: a hundred steps with twenty collectives
constexpr std::size_t kFewestSpans = 32;        // a step or two, however many ranks there are

// Of so many ranks the last ones have none.
std::size_t trace_room(int rank, int ranks, std::size_t conditions) {
  const auto place = static_cast<std::size_t>(rank);
  if (place >= kProfileSpans / (conditions * kFewestSpans)) return 0;
  return std::clamp(kProfileSpans / (static_cast<std::size_t>(ranks) * conditions), kFewestSpans, kWindowSpans);
}

}  // namespace

double Ruler::slowest_s(double own_s) {
  double slowest_s = 0;
  for (const auto& rank : control_.gather({&own_s, 1})) slowest_s = std::max(slowest_s, rank[0]);
  return slowest_s;
}

// The seconds of one step, on the slowest rank. The lead-in meets first touches: compilation, allocation, connections.
double Ruler::time_steps(Condition condition, int steps) {
  const int lead_in = lead_in_steps(job_, condition);
  workload_.enter(condition, steps + lead_in);
  workload_.go();
  workload_.run(lead_in);
  control_.barrier();
  const double own_s = workload_.run(steps) / steps;
  workload_.leave();
  check_loss();
  return slowest_s(own_s);
}

// Two steps tell enough of long ones; short ones get a second look.
double Ruler::pilot_step_s(Condition condition) {
  const double step_s = time_steps(condition, kFirstLookSteps);
  const int steps = pilot_steps(step_s);
  return steps <= kSecondLookFactor * kFirstLookSteps ? step_s : time_steps(condition, steps);
}

// A window without steps: what meeting, starting and stopping cost.
double Ruler::measure_edge() {
  std::vector<double> samples;
  for (int i = 0; i < kEdgeSamples; ++i) {
    control_.barrier();
    const std::int64_t start_ns = now_ns();
    control_.barrier();
    const double start_s = seconds(now_ns() - start_ns);
    samples.push_back(start_s + workload_.stop_s());
  }
  std::nth_element(samples.begin(), samples.begin() + kEdgeSamples / 2, samples.end());
  return slowest_s(samples[kEdgeSamples / 2]);
}

void Ruler::pilot(const std::vector<Condition>& conditions) {
  conditions_ = conditions;
  log_.select(Condition::joined, false);
  edge_s_ = measure_edge();
  round_s_ = 0;
  double step_s = 0;
  for (const Condition condition : conditions_) {
    // Steps grow along the chain: where the last condition's are long enough already, this one's need not be timed.
    const int fewest = fewest_window_steps(job_, condition);
    if (window_steps(job_, condition, step_s, edge_s_) > fewest) step_s = pilot_step_s(condition);
    steps_[condition] = window_steps(job_, condition, step_s, edge_s_);
    round_s_ += step_s * (steps_[condition] + lead_in_steps(job_, condition));
  }
}

bool Ruler::round(int index, const OnWindow& on_window, const std::function<bool()>& stop) {
  align();
  for (const Condition condition : round_order(conditions_, job_.seed, index)) {
    if (control_.any(stop())) return false;
    measure(index, condition, on_window);
    check_loss();
  }
  return true;
}

void Ruler::measure(int round, Condition condition, const OnWindow& on_window) {
  const bool traced = round == kTracedRound;
  const int lead_in = lead_in_steps(job_, condition);
  Window window;
  window.round = round;
  window.condition = condition;
  window.steps = steps_.at(condition);
  log_.select(condition, false);
  window.resident_ratio = workload_.enter(condition, window.steps + lead_in);
  check_weights(condition);
  if (traced) {
    workload_.spans().prepare(workload_.device(), trace_room(control_.rank(), control_.size(), conditions_.size()));
  }
  workload_.go();
  workload_.run(lead_in);
  window.queued_start_samples = workload_.queued_samples();
  const double waited_before_s = workload_.waited_s();
  const double collectives_before_s = log_.total_s(condition);
  log_.select(condition, true);
  if (traced) workload_.spans().start();

  // Workers go on while ranks meet, which takes them no longer than an edge. Were they held, samples half made would
  // be finished meanwhile and the window would get them for nothing.
  control_.barrier();
  const double wall_s = workload_.run(window.steps);

  workload_.spans().stop();
  const std::vector<double> arrivals_s = log_.arrivals_s();
  log_.select(condition, false);
  workload_.collect_device_times();
  window.queued_end_samples = workload_.queued_samples();
  const double waited_s = workload_.waited_s() - waited_before_s;
  workload_.leave();
  window = gather(
      std::move(window),
      {.wall_s = wall_s, .input_wait_s = waited_s, .collective_s = log_.total_s(condition) - collectives_before_s});
  add_arrivals(window, arrivals_s);
  on_window(window, traced ? gather_trace(window, wall_s) : std::vector<std::string>());
}

// Every rank's spans on one time line: from the earliest start on, by rank 0's clock.
std::vector<std::string> Ruler::gather_trace(const Window& window, double wall_s) {
  const SpanBook& book = workload_.spans().book();
  RankTrace trace = read_spans(book, wall_s, collective_name);
  trace.rank = control_.rank();
  const double began_s = book.began_ns == 0 ? HUGE_VAL : seconds(book.began_ns) + clock_.offset_s;
  double earliest_s = began_s;
  for (const auto& rank : control_.gather({&began_s, 1})) earliest_s = std::min(earliest_s, rank[0]);
  const bool took_part = book.began_ns != 0;
  const std::int64_t shift_us = took_part ? std::llround((began_s - earliest_s) * 1e6) : 0;
  for (std::vector<Span>* spans : {&trace.host, &trace.device}) {
    for (Span& span : *spans) span.start_us += shift_us;
  }
  return control_.gather_text(took_part ? Events::line("trace", {{"round", window.round},
                                                                 {"condition", to_string(window.condition)},
                                                                 {"trace", to_json(trace)}})
                                        : std::string());
}

// Ranks that issued different collectives cannot be compared.
void Ruler::add_arrivals(Window& window, std::vector<double> own_s) {
  if (switch_position(window.condition) == SwitchPosition::off || control_.size() == 1) return;
  const double own_count = static_cast<double>(own_s.size());
  for (const auto& count : control_.gather({&own_count, 1})) {
    if (count[0] != own_count || count[0] == 0) own_s.clear();
  }
  if (control_.any(own_s.empty())) return;
  for (double& at_s : own_s) at_s += clock_.offset_s;
  const std::vector<double> behind_s = behind_others_s(control_.gather(own_s), window.steps);
  for (std::size_t rank = 0; rank < behind_s.size(); ++rank) {
    if (window.ranks[rank]) window.ranks[rank]->behind_s = behind_s[rank];
  }
}

// Clocks of different hosts drift apart: they are compared anew in every round.
void Ruler::align() {
  if (control_.size() == 1) return;
  clock_ = align_clocks(control_);
  for (const auto& rank : control_.gather({&clock_.uncertainty_s, 1})) clocks_s_ = std::max(clocks_s_, rank[0]);
}

Window Ruler::gather(Window window, const RankSample& own) {
  const double values[] = {workload_.takes_part() ? 1.0 : 0.0, own.wall_s, own.input_wait_s, own.collective_s};
  for (const auto& rank : control_.gather(values)) {
    window.ranks.push_back(
        rank[0] == 0 ? std::nullopt
                     : std::optional(RankSample{.wall_s = rank[1], .input_wait_s = rank[2], .collective_s = rank[3]}));
  }
  return window;
}

// Gradients of ranks with different weights must not be summed: the loss would drift and the job be another one.
void Ruler::check_weights(Condition condition) {
  const std::optional<double> sum = workload_.weight_sum();
  if (!sum) return;
  const double own = *sum;
  for (const auto& rank : control_.gather({&own, 1})) {
    if (rank[0] != own) throw Error(fmt::format("the ranks' weights differ before condition {}", to_string(condition)));
  }
}

void Ruler::check_loss() {
  const double own = workload_.loss().value_or(0);
  const auto all = control_.gather({&own, 1});
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (std::isfinite(all[rank][0])) continue;
    throw Error(
        fmt::format("the loss of rank {} is not finite: the job has diverged and its times mean nothing; "
                    "try --dtype fp32 or another --seed",
                    rank));
  }
}

}  // namespace stash
