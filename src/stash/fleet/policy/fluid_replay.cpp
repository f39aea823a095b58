#include "stash/fleet/policy/fluid_replay.h"

#include <algorithm>
#include <limits>

#include "stash/core/units.h"

namespace stash {
namespace {

constexpr double kPeriod_s = 60;

struct FluidMachine {
  double ordered_s = 0;
  double ready_s = 0;
  bool spot = false;
};

struct FluidFleet {
  const Market& market;
  std::vector<std::vector<FluidMachine>> machines;  // by type, oldest first

  void count(double now_s, std::vector<TypeCount>& counts) const {
    for (std::size_t i = 0; i < machines.size(); ++i) {
      counts[i] = {};
      for (const FluidMachine& one : machines[i]) {
        const bool ready = one.ready_s <= now_s;
        (one.spot ? (ready ? counts[i].spot_ready : counts[i].spot_starting)
                  : (ready ? counts[i].ready : counts[i].starting)) += 1;
      }
    }
  }

  // Returns what machines that stopped before they were worth their least bill cost beyond now.
  double change(std::size_t type, int wanted, bool spot, double now_s, bool is_taken_over) {
    auto& own = machines[type];
    const MachineType& of = market.machines[type];
    auto have = static_cast<int>(std::ranges::count(own, spot, &FluidMachine::spot));
    for (; have < wanted; ++have) own.push_back({now_s, now_s + (is_taken_over ? 0 : of.start.median_s()), spot});
    double extra_s = 0;
    // The last started go first: they may not even be ready.
    for (std::size_t i = own.size(); i-- > 0 && have > wanted;) {
      if (own[i].spot != spot) continue;
      extra_s += std::max(0.0, of.least_billed_s - (now_s - own[i].ordered_s));
      own.erase(own.begin() + static_cast<std::ptrdiff_t>(i));
      --have;
    }
    return extra_s * price(of, spot);
  }

  static double price(const MachineType& type, bool spot) {
    return (spot ? type.spot_usd_per_hour.value_or(type.usd_per_hour) : type.usd_per_hour) / kSecondsPerHour;
  }
};

}  // namespace

double usd_per_request(const FunctionType& function) {
  return function.usd_per_request + function.usd_per_s * function.work_s;
}

const FunctionType* cheapest_function(const Market& market, const FleetObjective& objective) {
  const FunctionType* best = nullptr;
  for (const FunctionType& one : market.functions) {
    if (one.work_s > objective.latency_s) continue;
    if (best == nullptr || usd_per_request(one) < usd_per_request(*best)) best = &one;
  }
  return best;
}

FluidReplay fluid_replay(FleetPolicy& policy, const Market& market, std::span<const RatedType> rated,
                         std::span<const LoadMinute> given, std::size_t first) {
  std::vector<LoadMinute> minutes(given.begin(), given.end());  // with what is missed
  FluidReplay found;
  FluidFleet fleet{market, std::vector<std::vector<FluidMachine>>(market.machines.size())};
  std::vector<TypeCount> counts(market.machines.size());
  const FunctionType* function = nullptr;
  for (const FunctionType& one : market.functions) {
    if (function == nullptr || usd_per_request(one) < usd_per_request(*function)) function = &one;
  }
  for (std::size_t t = first; t < minutes.size(); ++t) {
    const double now_s = kPeriod_s * static_cast<double>(t);
    fleet.count(now_s, counts);
    const double usd_before = found.usd;
    const FleetOrder order = policy.decide({now_s, std::span<const LoadMinute>(minutes).first(t), counts});
    for (std::size_t i = 0; i < order.wanted.size(); ++i) {
      found.usd += fleet.change(i, order.wanted[i].machines, false, now_s, t == first);
      found.usd += fleet.change(i, order.wanted[i].spot, true, now_s, t == first);
    }
    double capacity = 0;
    auto& ready = found.ready.emplace_back(market.machines.size());
    for (std::size_t i = 0; i < market.machines.size(); ++i) {
      for (const FluidMachine& one : fleet.machines[i]) {
        found.usd += kPeriod_s * FluidFleet::price(market.machines[i], one.spot);
        const double ready_ratio = std::clamp((now_s + kPeriod_s - one.ready_s) / kPeriod_s, 0.0, 1.0);
        const auto of = std::ranges::find(rated, i, &RatedType::type);
        if (of != rated.end()) capacity += ready_ratio * of->per_min();
        ready[i] += ready_ratio > 0.5;
      }
    }
    found.capacity.push_back(capacity);
    found.usd_by_min.push_back((found.usd - usd_before) * policy.price_ratio());
    found.missed_by_min.push_back(0);
    found.by_function_by_min.push_back(0);
    found.forecasts.push_back(order.forecast);
    if (minutes[t].hole) continue;
    found.requests += minutes[t].requests;
    const double over = std::max(0.0, minutes[t].requests - capacity);
    if (order.use_functions && function != nullptr) {
      found.by_function += over;
      found.by_function_by_min.back() = over;
      found.usd_by_min.back() += over * usd_per_request(*function);
      found.function_usd += over * usd_per_request(*function);
    } else {
      found.missed += over;
      found.missed_by_min.back() = over;
      minutes[t].missed = over;
    }
  }
  found.usd = found.usd * policy.price_ratio() + found.function_usd;
  return found;
}

}  // namespace stash
