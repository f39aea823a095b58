#include "stash/fleet/policy/single_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "stash/fleet/policy/fluid_replay.h"

namespace stash {
namespace {

constexpr std::array kTargets{0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15};
// Requests also miss by chance where the load is even below capacity; a fluid does not.
constexpr double kFluidMisses = 0.6;

int machines_for(double requests_per_min, double each_per_min) {
  return std::max(1, static_cast<int>(std::ceil(requests_per_min / each_per_min - 1e-9)));
}

class SingleTypePolicy final : public FleetPolicy {
 public:
  SingleTypePolicy(const Market& market, RatedType type, const AutoscalerRule& rule)
      : market_(market), type_(std::move(type)), rule_(rule) {}

  std::string_view name() const override { return rule_.name; }
  double period_s() const override { return rule_.period_s; }
  double price_ratio() const override {
    return rule_.is_managed ? market_.machines[type_.type].managed_price_ratio : 1;
  }

  FleetOrder decide(const FleetView& view) override {
    FleetOrder order{.wanted = std::vector<WantedType>(market_.machines.size())};
    const int have = std::max(1, view.machines[type_.type].all());
    const int wanted = wish(view, have);
    if (wanted != have) changed_s_ = view.now_s;
    order.wanted[type_.type].machines = wanted;
    const std::string& machine = market_.machines[type_.type].name;
    if (wanted == have) {
      order.reason =
          fmt::format("{} x {} stay: their load is near the target of {:g} %", have, machine, rule_.target_ratio * 100);
    } else {
      order.reason = fmt::format("{} x {} instead of {}: {:.0f} requests in the last minute at a target of {:g} %",
                                 wanted, machine, have, last_, rule_.target_ratio * 100);
    }
    return order;
  }

 private:
  int wish(const FleetView& view, int have) {
    if (view.minutes.empty() || view.minutes.back().hole) return have;
    if (view.now_s - changed_s_ < rule_.rest_s) return have;
    last_ = view.minutes.back().requests;
    const int up = extreme(view, rule_.out_minutes, have, [](int a, int b) { return std::min(a, b); });
    if (up > have) return up;
    const int down = extreme(view, rule_.in_minutes, have, [](int a, int b) { return std::max(a, b); });
    return std::min(down, have);
  }

  template <class Choose>
  int extreme(const FleetView& view, int minutes, int have, const Choose& choose) const {
    const double each = type_.per_min() * rule_.target_ratio;
    int found = -1, seen = 0;
    for (std::size_t i = view.minutes.size(); i-- > 0 && seen < minutes;) {
      if (view.minutes[i].hole) continue;
      ++seen;
      const double ratio = view.minutes[i].requests / (each * have);
      const int one =
          std::abs(ratio - 1) <= rule_.tolerance_ratio ? have : machines_for(view.minutes[i].requests, each);
      found = found < 0 ? one : choose(found, one);
    }
    return seen < minutes ? have : found;
  }

  const Market& market_;
  RatedType type_;
  AutoscalerRule rule_;
  double changed_s_ = -std::numeric_limits<double>::infinity();
  double last_ = 0;
};

class PeakPolicy final : public FleetPolicy {
 public:
  PeakPolicy(const Market& market, std::span<const RatedType> rated, std::span<const LoadMinute> minutes)
      : wanted_(market.machines.size()) {
    double peak = 0;
    for (const LoadMinute& minute : minutes) peak = std::max({peak, minute.peak_5s * 12, minute.requests});
    const RatedType* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const RatedType& type : rated) {
      const double usd = type.usd_per_s * machines_for(peak, type.per_min());
      if (usd < least) {
        least = usd;
        best = &type;
      }
    }
    wanted_[best->type].machines = machines_for(peak, best->per_min());
    reason_ = fmt::format("{} x {} for the busiest five seconds, {:.0f} requests per second",
                          wanted_[best->type].machines, market.machines[best->type].name, peak / 60);
  }

  std::string_view name() const override { return "peak"; }
  double period_s() const override { return 600; }
  FleetOrder decide(const FleetView&) override { return {wanted_, false, reason_}; }

 private:
  std::vector<WantedType> wanted_;
  std::string reason_;
};

}  // namespace

std::unique_ptr<FleetPolicy> make_single_type(const Market& market, const RatedType& type, const AutoscalerRule& rule) {
  return std::make_unique<SingleTypePolicy>(market, type, rule);
}

std::unique_ptr<FleetPolicy> make_best_single_type(const Market& market, std::span<const RatedType> rated,
                                                   const FleetObjective& objective, AutoscalerRule rule,
                                                   std::span<const LoadMinute> minutes) {
  if (minutes.empty()) return make_single_type(market, rated.front(), rule);
  const double allowed = kFluidMisses * (1 - objective.meet_ratio);
  std::pair<double, double> best{std::numeric_limits<double>::infinity(), 0};  // misses beyond what is allowed, cost
  RatedType type = rated.front();
  const double given = rule.target_ratio;
  double target = given;
  for (const RatedType& one : rated) {
    for (const double tried : kTargets) {
      if (rule.is_managed && tried != given) continue;
      rule.target_ratio = tried;
      SingleTypePolicy policy(market, one, rule);
      const FluidReplay found = fluid_replay(policy, market, rated, minutes);
      const std::pair now{std::max(allowed, found.missed_ratio()), found.usd};
      if (now >= best) continue;
      best = now;
      type = one;
      target = tried;
    }
  }
  rule.target_ratio = target;
  return make_single_type(market, type, rule);
}

std::unique_ptr<FleetPolicy> make_peak(const Market& market, std::span<const RatedType> rated,
                                       std::span<const LoadMinute> minutes) {
  return std::make_unique<PeakPolicy>(market, rated, minutes);
}

}  // namespace stash
