#pragma once

#include <span>
#include <vector>

#include "stash/fleet/market/rated_type.h"
#include "stash/fleet/policy/fleet_policy.h"

namespace stash {

// What a policy would have cost and missed, minute by minute: load above capacity is missed or goes to functions;
// machines are there after their median start. Quick and without requests, to choose between policies; `stash fleet
// replay` has every request.
struct FluidReplay {
  double usd = 0;
  double function_usd = 0;  // of it
  double requests = 0;
  double missed = 0;
  double by_function = 0;
  std::vector<std::vector<int>> ready;  // by minute and type of the market

  double missed_ratio() const { return requests > 0 ? missed / requests : 0; }
};

FluidReplay fluid_replay(FleetPolicy& policy, const Market& market, std::span<const RatedType> rated,
                         std::span<const LoadMinute> minutes);

// What one request costs on a function, without waiting for a start.
double usd_per_request(const FunctionType& function);
// The cheapest whose work is within the objective; nullptr: there is none.
const FunctionType* cheapest_function(const Market& market, const FleetObjective& objective);

}  // namespace stash
