#pragma once

#include <cstddef>
#include <vector>

#include "stash/fleet/market/capacity.h"
#include "stash/fleet/market/market.h"

namespace stash {

// A machine of a market that can meet the objective, and what it takes.
struct RatedType {
  std::size_t type = 0;  // of the market
  MachineCapacity capacity;
  double usd_per_s = 0;
  double usd_per_request = 0;  // when it has all that it can take

  double per_min() const { return capacity.per_s * 60; }
};

// Cheapest per request first. UsageError where there is none: it names the objective that the fastest can meet.
std::vector<RatedType> rated_types(const Market& market, const FleetObjective& objective);

// The shortest objective that some machine can meet with the share asked for, at a quarter of its largest rate.
double nearest_objective_s(const Market& market, const FleetObjective& objective);

}  // namespace stash
