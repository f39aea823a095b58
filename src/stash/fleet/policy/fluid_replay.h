#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stash/fleet/market/rated_type.h"
#include "stash/fleet/policy/fleet_policy.h"

namespace stash {

// What a policy would have cost and missed, minute by minute: load above capacity is missed or goes to functions;
// machines are there after their median start. Quick and without requests, to choose between policies; `stash fleet
// replay` has every request. Minutes before `first` are known to the policy; what it orders at `first` is ready at
// once.
struct FluidReplay {
  double usd = 0;
  double function_usd = 0;  // of it
  double requests = 0;
  double missed = 0;
  double by_function = 0;
  // By minute from the first that counts on.
  std::vector<std::vector<int>> ready;  // by type of the market
  std::vector<double> capacity;         // requests
  std::vector<double> usd_by_min;       // with functions
  std::vector<double> missed_by_min, by_function_by_min;
  std::vector<std::optional<LoadBand>> forecasts;

  double missed_ratio() const { return requests > 0 ? missed / requests : 0; }
};

FluidReplay fluid_replay(FleetPolicy& policy, const Market& market, std::span<const RatedType> rated,
                         std::span<const LoadMinute> minutes, std::size_t first = 0);

// What one request costs on a function, without waiting for a start.
double usd_per_request(const FunctionType& function);
// The cheapest whose work is within the objective; nullptr: there is none.
const FunctionType* cheapest_function(const Market& market, const FleetObjective& objective);

}  // namespace stash
