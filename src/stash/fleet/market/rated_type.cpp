#include "stash/fleet/market/rated_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {
namespace {

// What a useful machine does of what it could do without an objective: below this nearly nothing but luck is in time.
constexpr double kUsefulRatio = 0.25;
constexpr double kFinestRatio = 1.02;  // of the nearest objective

}  // namespace

double nearest_objective_s(const Market& market, const FleetObjective& objective) {
  double nearest_s = std::numeric_limits<double>::infinity();
  for (const MachineType& type : market.machines) {
    const double alone_s = type.times.at(1);
    double low = alone_s, high = 16 * alone_s;
    while (high > low * kFinestRatio) {
      const double middle = (low + high) / 2;
      const auto capacity = capacity_of(type, {middle, objective.meet_ratio});
      const bool is_useful = capacity && capacity->per_s > kUsefulRatio * type.devices / alone_s;
      (is_useful ? high : low) = middle;
    }
    nearest_s = std::min(nearest_s, high);
  }
  return nearest_s;
}

std::vector<RatedType> rated_types(const Market& market, const FleetObjective& objective) {
  std::vector<RatedType> rated;
  for (std::size_t i = 0; i < market.machines.size(); ++i) {
    const MachineType& machine = market.machines[i];
    const auto capacity = capacity_of(machine, objective);
    if (!capacity) continue;
    const double usd_per_s = machine.usd_per_hour / kSecondsPerHour;
    rated.push_back({i, *capacity, usd_per_s, usd_per_s / capacity->per_s});
  }
  if (rated.empty()) {
    if (market.machines.empty()) throw UsageError("the market has no machine that can be rented");
    throw UsageError(fmt::format(
        "--objective {} cannot be met for {} of the requests by any machine here; the nearest that can be met is {}",
        format_duration(objective.latency_s), fmt::format("{:g} %", objective.meet_ratio * 100),
        duration_at_least(nearest_objective_s(market, objective))));
  }
  std::ranges::sort(rated, {}, &RatedType::usd_per_request);
  return rated;
}

}  // namespace stash
