#include "stash/fleet/policy/mark_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "stash/core/units.h"

namespace stash {
namespace {

// As published: modules/scheduler.py, modules/proactive_controller2.py of github:marcoszh/MArk-Project@180be0af.
constexpr double kMarkHeadRoom = 1.2;
constexpr std::size_t kAhead_min = 50;
constexpr std::size_t kFirstMinutes = 6;
constexpr double kLaunch_s = 180;
constexpr std::size_t kPlansKept = 6;
constexpr double kMissesAllowed = 0.02;
constexpr double kRest_s = 300;
constexpr double kMarkMissMemory = 0.8;  // of the moving rate, per minute
constexpr std::size_t kMostMachines = 100'000;

class MarkPolicy final : public FleetPolicy {
 public:
  MarkPolicy(const Market& market, const FleetObjective& objective, std::unique_ptr<LoadForecaster> forecaster)
      : market_(market), forecaster_(std::move(forecaster)) {
    for (const MachineType& type : market.machines) {
      machines_.push_back({mark_per_min(type, objective.latency_s), type.usd_per_hour / kSecondsPerHour});
    }
  }

  std::string_view name() const override { return "mark"; }
  double period_s() const override { return 60; }

  FleetOrder decide(const FleetView& view) override {
    FleetOrder order{.wanted = std::vector<WantedType>(machines_.size()), .use_functions = true, .reason = {}};
    std::vector<int> running;
    for (const TypeCount& one : view.machines) running.push_back(one.all());
    if (!view.minutes.empty() && view.minutes.back().hole) {  // nothing is known of the load: nothing changes
      for (std::size_t i = 0; i < running.size(); ++i) order.wanted[i].machines = running[i];
      order.reason = "nothing changes: the last minute was not recorded";
      return order;
    }
    const std::vector<double> load = expected(view);
    plans_.push_back(mark_plan(machines_, load, running));
    if (plans_.size() > kPlansKept) plans_.pop_front();
    int more = 0, fewer = 0;
    for (std::size_t i = 0; i < running.size(); ++i) {
      int most = plans_.back()[i];
      for (const std::vector<int>& plan : plans_) most = std::max(most, plan[i]);
      // Fewer only below the largest of the last six plans, and not before there are six.
      const int least = plans_.size() < kPlansKept ? running[i] : std::min(running[i], most);
      order.wanted[i].machines = std::max(plans_.back()[i], least);
      more += std::max(0, order.wanted[i].machines - running[i]);
      fewer += std::max(0, running[i] - order.wanted[i].machines);
    }
    order.reason =
        fmt::format("greedy plan for {:.0f} requests per minute: {} to start, {} to stop", load.front(), more, fewer);
    add_for_misses(view, order);
    return order;
  }

 private:
  std::vector<double> expected(const FleetView& view) {
    if (view.minutes.empty()) return std::vector<double>(kAhead_min, 1);
    forecaster_->see(view.minutes);
    std::vector<double> load;
    const LoadMinute& last = view.minutes.back();
    // The busiest five seconds, twelve times, in proportion to what is forecast of the whole minute.
    const double peak_ratio = last.requests > 0 ? std::max(1.0, last.peak_5s * 12 / last.requests) : 1;
    for (std::size_t k = 1; k <= kAhead_min; ++k) {
      load.push_back(kMarkHeadRoom * peak_ratio * forecaster_->quantile(static_cast<int>(k), 0.5));
    }
    return load;
  }

  // The safety net: one more of what takes most, when too many are missed.
  void add_for_misses(const FleetView& view, FleetOrder& order) {
    if (view.minutes.empty() || !(view.minutes.back().requests > 0)) return;
    const LoadMinute& last = view.minutes.back();
    missed_ratio_ = kMarkMissMemory * missed_ratio_ + (1 - kMarkMissMemory) * last.missed / last.requests;
    if (missed_ratio_ <= kMissesAllowed || view.now_s - standby_s_ < kRest_s) return;
    standby_s_ = view.now_s;
    const auto largest = std::ranges::max_element(machines_, {}, &MarkMachine::per_min) - machines_.begin();
    ++order.wanted[static_cast<std::size_t>(largest)].machines;
    order.reason += fmt::format("; one more {} since {:.1f} % were missed of late",
                                market_.machines[static_cast<std::size_t>(largest)].name, missed_ratio_ * 100);
  }

  const Market& market_;
  std::unique_ptr<LoadForecaster> forecaster_;
  std::vector<MarkMachine> machines_;
  std::deque<std::vector<int>> plans_;
  double missed_ratio_ = 0;
  double standby_s_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

double mark_per_min(const MachineType& type, double objective_s) {
  if (type.times.at(1) > objective_s) return 0;
  double best = 1 / type.times.at(1);
  for (int batch = 2; batch <= type.most_batch && 2 * type.times.at(batch) <= objective_s; ++batch) {
    best = std::max(best, batch / type.times.at(batch));
  }
  return best * 60 * type.devices;
}

std::vector<int> mark_plan(std::span<const MarkMachine> machines, std::span<const double> per_min,
                           std::span<const int> running) {
  std::vector<int> plan(machines.size());
  std::vector<double> left(per_min.begin(), per_min.end());
  std::vector<int> idle(running.begin(), running.end());
  for (std::size_t count = 0; count < kMostMachines; ++count) {
    const auto first_end = left.begin() + static_cast<std::ptrdiff_t>(std::min(kFirstMinutes, left.size()));
    const auto worst = std::max_element(left.begin(), first_end);
    if (worst == first_end || *worst <= 0) return plan;
    const auto end = std::find_if(worst, left.end(), [](double load) { return load <= 0; });
    const auto span = static_cast<double>(end - worst);
    std::size_t best = machines.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < machines.size(); ++i) {
      if (!(machines[i].per_min > 0)) continue;
      const double launch_s = idle[i] > 0 ? 0 : kLaunch_s;
      double served = 0;
      for (auto at = worst; at != end; ++at) served += std::min(*at, machines[i].per_min);
      const double usd = machines[i].usd_per_s * (span * 60 + launch_s) / served;
      if (usd >= least) continue;
      least = usd;
      best = i;
    }
    if (best == machines.size()) return plan;
    ++plan[best];
    if (idle[best] > 0) --idle[best];
    for (double& load : left) load -= machines[best].per_min;
  }
  return plan;
}

std::unique_ptr<FleetPolicy> make_mark(const Market& market, const FleetObjective& objective,
                                       std::unique_ptr<LoadForecaster> forecaster) {
  return std::make_unique<MarkPolicy>(market, objective, std::move(forecaster));
}

}  // namespace stash
