#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stash/fleet/market/rated_type.h"

namespace stash {

// A type on demand or as spot, as the planner weighs it.
struct FleetOffer {
  std::size_t type = 0;  // of the market
  bool is_spot = false;
  double usd_per_min = 0;
  double per_min = 0;  // requests that it takes
  int lead_min = 1;    // from the order to the first request, rounded up
  int least_min = 0;   // that it is billed
  double interruptions_per_min = 0;
};

// Those that are of use: one is left out where as many of another, that take as much and start as soon, cost no more.
// `capacity_ratio`: of what a machine can take that is planned with.
std::vector<FleetOffer> fleet_offers(const Market& market, std::span<const RatedType> rated, double capacity_ratio);

}  // namespace stash
