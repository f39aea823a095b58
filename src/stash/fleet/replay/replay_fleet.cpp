#include "stash/fleet/replay/replay_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/fleet/replay/function_pool.h"
#include "stash/fleet/replay/latency_histogram.h"
#include "stash/fleet/replay/replay_machines.h"
#include "stash/fleet/traffic/arrival_stream.h"
#include "stash/fleet/traffic/load_minutes.h"
#include "stash/fleet/traffic/request_work.h"

namespace stash {
namespace {

constexpr double kWindow_s = 5;  // whose busiest one a policy sees
constexpr double kMinute_s = 60;

// The cheapest function whose warm answer is in time.
const FunctionType* function_for(const Market& market, const FleetObjective& objective) {
  const FunctionType* best = nullptr;
  const auto usd = [](const FunctionType& one) { return one.usd_per_request + one.usd_per_s * one.work_s; };
  for (const FunctionType& one : market.functions) {
    if (one.work_s <= objective.latency_s && (best == nullptr || usd(one) < usd(*best))) best = &one;
  }
  return best;
}

// A fleet that is taken over has seen the minute before: where that was not recorded, the one nearest to it.
LoadMinute nearest_recorded(const std::vector<LoadMinute>& minutes, std::size_t at) {
  for (std::size_t i = std::min(at + 1, minutes.size()); i-- > 0;) {
    if (!minutes[i].hole) return minutes[i];
  }
  for (std::size_t i = at; i < minutes.size(); ++i) {
    if (!minutes[i].hole) return minutes[i];
  }
  return {};
}

// Until then it has missed as many as it may: no more may be missed later because nothing was before.
std::vector<LoadMinute> minutes_before(const std::vector<LoadMinute>& recorded, const ReplayOptions& options) {
  const auto count = std::min(recorded.size(), static_cast<std::size_t>(options.span.from_s / kMinute_s));
  std::vector<LoadMinute> before(recorded.begin(), recorded.begin() + static_cast<std::ptrdiff_t>(count));
  if (!before.empty()) before.back() = nearest_recorded(recorded, before.size() - 1);
  for (LoadMinute& one : before) one.missed = (1 - options.objective.meet_ratio) * one.requests;
  return before;
}

double step_of(double duration_s) {
  if (duration_s > 36 * kSecondsPerHour) return kSecondsPerHour;
  return duration_s > 6 * kSecondsPerHour ? 600 : kMinute_s;
}

std::string wanted_text(const Market& market, const FleetOrder& order) {
  std::string text;
  const auto add = [&](int count, const std::string& name) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  };
  for (std::size_t i = 0; i < order.wanted.size(); ++i) {
    add(order.wanted[i].machines, market.machines[i].name);
    add(order.wanted[i].spot, market.machines[i].name + " (spot)");
  }
  if (text.empty()) text = "no machine";
  return order.use_functions ? text + ", functions" : text;
}

class FleetReplay {
 public:
  FleetReplay(const Market& market, const LoadTrace& trace, FleetPolicy& policy, const ReplayOptions& options)
      : market_(market),
        policy_(policy),
        options_(options),
        recorded_(minutes_of(trace)),
        minutes_(minutes_before(recorded_, options)),
        work_(request_work(trace)),
        arrivals_(trace, options.seed, options.span),
        machines_(market, options_, policy.price_ratio(), step_latencies_) {
    if (const FunctionType* const type = function_for(market, options.objective)) {
      functions_.emplace(*type, options.seed);
    }
    result_.policy = std::string(policy.name());
    result_.seed = options.seed;
    result_.step_s = step_of(options.span.to_s - options.span.from_s);
    now_s_ = options.span.from_s;
    taken_over_ = nearest_recorded(recorded_, 0);
  }

  ReplayResult run() {
    double next_decision_s = now_s_, next_step_s = now_s_ + result_.step_s;
    double next_window_s = now_s_ + kWindow_s, next_minute_s = now_s_ + kMinute_s;
    begin_step();
    while (now_s_ < options_.span.to_s) {
      if (now_s_ >= next_decision_s) {
        if (!in_hole(now_s_)) decide();
        next_decision_s += policy_.period_s();
      }
      const double next_s = std::min(
          {next_window_s, next_decision_s, next_step_s, next_minute_s, machines_.next_event_s(), options_.span.to_s});
      take_arrivals(next_s);
      machines_.advance(next_s, in_hole(now_s_));
      now_s_ = next_s;
      if (now_s_ >= next_window_s) end_window(next_window_s);
      if (now_s_ >= next_minute_s) end_minute(next_minute_s);
      if (now_s_ >= next_step_s) {
        end_step();
        begin_step();
        next_step_s += result_.step_s;
      }
    }
    machines_.stop_all();
    end_step();
    return finished();
  }

 private:
  bool in_hole(double s) const {
    const auto minute = static_cast<std::size_t>(s / kMinute_s);
    return minute < recorded_.size() && recorded_[minute].hole;
  }

  void take_arrivals(double until_s) {
    for (;;) {
      for (; next_ < some_.size(); ++next_) {
        if (some_[next_] >= until_s) return;
        ++requests_;
        const float work = work_.empty() ? 1.0F : work_[arrivals_.timed_index() + next_];
        minute_work_ += work;
        route(some_[next_], work);
      }
      if (ended_) return;
      some_ = arrivals_.next();
      next_ = 0;
      ended_ = some_.empty();
    }
  }

  void route(double at_s, float work) {
    DeviceRouter& router = machines_.router();
    const std::size_t attempts = std::min(static_cast<std::size_t>(options_.attempts), router.devices());
    for (std::size_t i = 0; i < attempts; ++i) {
      DeviceQueue& device = router.next();
      device.advance(at_s);
      device.note(at_s);
      if (!device.would_meet(at_s)) continue;
      device.push(at_s, work);
      return;
    }
    overflow(at_s, work);
  }

  void overflow(double at_s, float work) {
    if (!use_functions_ || !functions_) {
      ++refused_;
      return;
    }
    const double latency_s = functions_->call(at_s, work);
    step_latencies_.add(latency_s);
    function_latency_s_ += latency_s;
    if (latency_s > options_.objective.latency_s) ++function_late_;
  }

  void decide() {
    const std::span<const LoadMinute> known =
        minutes_.empty() ? std::span<const LoadMinute>(&taken_over_, 1) : std::span<const LoadMinute>(minutes_);
    const FleetView view{.now_s = now_s_, .minutes = known, .machines = machines_.counts()};
    FleetOrder order = policy_.decide(view);
    machines_.apply(order);
    use_functions_ = order.use_functions;
    ++result_.decisions_made;
    if (order.forecast) expected_.push_back(*order.forecast);
    note_decision(order);
  }

  // What was expected of minutes that are over now.
  void take_expected(double until_s) {
    while (!expected_.empty() && expected_.front().minute_s < until_s) {
      const LoadBand& band = expected_.front();
      if (band.minute_s >= step_.from_s) {
        band_.p05 += band.p05;
        band_.p50 += band.p50;
        band_.p95 += band.p95;
        ++bands_;
      }
      expected_.pop_front();
    }
  }

  void note_decision(FleetOrder& order) {
    const bool is_same = order.use_functions == used_functions_ &&
                         std::ranges::equal(order.wanted, last_wanted_, [](const WantedType& a, const WantedType& b) {
                           return a.machines == b.machines && a.spot == b.spot;
                         });
    if (!is_same && result_.decisions.size() < kMostReplayDecisions) {
      result_.decisions.push_back({now_s_, wanted_text(market_, order), std::move(order.reason)});
    }
    last_wanted_ = std::move(order.wanted);
    used_functions_ = order.use_functions;
  }

  void end_window(double& next_s) {
    peak_ = std::max(peak_, requests_ - window_requests_);
    window_requests_ = requests_;
    next_s += kWindow_s;
  }

  void end_minute(double& next_s) {
    machines_.settle();
    const std::uint64_t missed = missed_so_far();
    minutes_.push_back({.requests = static_cast<double>(requests_ - minute_requests_),
                        .peak_5s = static_cast<double>(peak_),
                        .missed = static_cast<double>(missed - minute_missed_),
                        .hole = in_hole(next_s - 0.5 * kMinute_s),
                        .work = work_.empty() ? std::nullopt : std::optional(minute_work_)});
    minute_work_ = 0;
    minute_requests_ = requests_;
    minute_missed_ = missed;
    peak_ = 0;
    next_s += kMinute_s;
  }

  std::uint64_t refused_so_far() const {
    std::uint64_t refused = refused_;
    for (const QueueLog& log : machines_.logs()) refused += log.refused;
    return refused;
  }
  std::uint64_t missed_so_far() const {
    std::uint64_t missed = refused_so_far() + machines_.lost() + function_late_;
    for (const QueueLog& log : machines_.logs()) missed += log.late;
    return missed;
  }
  double usd_so_far() const { return machines_.usd() + (functions_ ? functions_->usd() : 0); }

  void begin_step() {
    step_ = {.from_s = now_s_, .machines = {}};
    band_ = {};
    bands_ = 0;
    step_requests_ = requests_;
    step_missed_ = missed_so_far();
    step_refused_ = refused_so_far();
    step_usd_ = usd_so_far();
    step_ready_s_ = machines_.ready_s();
  }

  void end_step() {
    if (now_s_ <= step_.from_s && step_latencies_.count() == 0) return;
    machines_.settle();
    double recorded_s = 0;
    for (double s = step_.from_s; s < now_s_; s += kMinute_s) {
      if (!in_hole(s)) recorded_s += std::min(kMinute_s, now_s_ - s);
    }
    step_.recorded_s = recorded_s;
    take_expected(now_s_);
    if (bands_ > 0) {
      step_.forecast = {step_.from_s, band_.p05 / bands_, band_.p50 / bands_, band_.p95 / bands_};
    }
    step_.requests = requests_ - step_requests_;
    step_.missed = missed_so_far() - step_missed_;
    step_.refused = refused_so_far() - step_refused_;
    step_.usd = usd_so_far() - step_usd_;
    if (step_latencies_.count() > 0) step_.p99_s = step_latencies_.quantile(0.99);
    for (std::size_t i = 0; i < step_ready_s_.size(); ++i) {
      step_.machines.push_back(recorded_s > 0 ? (machines_.ready_s()[i] - step_ready_s_[i]) / recorded_s : 0);
    }
    if (now_s_ > step_.from_s) result_.points.push_back(std::move(step_));
    all_latencies_.add(step_latencies_);
    step_latencies_.clear();
    if (options_.on_progress) {
      options_.on_progress((now_s_ - options_.span.from_s) / (options_.span.to_s - options_.span.from_s));
    }
  }

  ReplayResult finished() {
    ReplayTotals& totals = result_.totals;
    totals.requests = requests_;
    double latency_s = function_latency_s_;
    for (const QueueLog& log : machines_.logs()) {
      totals.answered += log.answered;
      totals.late += log.late;
      latency_s += log.latency_s;
    }
    totals.refused = refused_so_far();
    totals.lost = machines_.lost();
    totals.late += function_late_;
    if (functions_) {
      totals.by_functions = functions_->calls();
      totals.cold_calls = functions_->cold_calls();
      totals.functions_usd = functions_->usd();
    }
    totals.answered += totals.by_functions;
    totals.usd = usd_so_far();
    result_.types = machines_.uses();
    for (const TypeUse& use : result_.types) {
      totals.spot_usd += use.spot_usd;
      totals.starts += use.starts;
    }
    totals.killed = machines_.killed();
    totals.taken_away = machines_.taken_away();
    if (totals.answered > 0) {
      totals.mean_s = latency_s / static_cast<double>(totals.answered);
      totals.p50_s = all_latencies_.quantile(0.5);
      totals.p90_s = all_latencies_.quantile(0.9);
      totals.p99_s = all_latencies_.quantile(0.99);
    }
    return std::move(result_);
  }

  const Market& market_;
  FleetPolicy& policy_;
  const ReplayOptions& options_;
  const std::vector<LoadMinute> recorded_;
  std::vector<LoadMinute> minutes_;
  LoadMinute taken_over_;  // what is known before the first minute is over
  std::vector<float> work_;
  double minute_work_ = 0;
  ArrivalStream arrivals_;
  LatencyHistogram step_latencies_, all_latencies_;
  ReplayMachines machines_;
  std::optional<FunctionPool> functions_;
  bool use_functions_ = false;
  std::vector<WantedType> last_wanted_;
  bool used_functions_ = false;  // as of the last decision
  double now_s_ = 0;
  std::span<const double> some_;
  std::size_t next_ = 0;
  bool ended_ = false;
  std::uint64_t requests_ = 0, refused_ = 0, function_late_ = 0;
  double function_latency_s_ = 0;
  std::uint64_t window_requests_ = 0, peak_ = 0, minute_requests_ = 0, minute_missed_ = 0;
  ReplayPoint step_;
  std::uint64_t step_requests_ = 0, step_missed_ = 0, step_refused_ = 0;
  double step_usd_ = 0;
  std::vector<double> step_ready_s_;
  std::deque<LoadBand> expected_;
  LoadBand band_;  // sums
  double bands_ = 0;
  ReplayResult result_;
};

}  // namespace

ReplayResult replay_fleet(const Market& market, const LoadTrace& trace, FleetPolicy& policy,
                          const ReplayOptions& options) {
  if (!(policy.period_s() > 0)) throw Error(fmt::format("the policy {} has no period", policy.name()));
  return FleetReplay(market, trace, policy, options).run();
}

}  // namespace stash
