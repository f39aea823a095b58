#pragma once

#include <optional>

#include "stash/fleet/market/market.h"

namespace stash {

// What one machine can take, with Poisson arrivals, so that `meet_ratio` of its requests are within the objective.
struct MachineCapacity {
  double per_s = 0;                      // requests of all its devices
  double low_per_s = 0, high_per_s = 0;  // 95 %, by the spread of T(b)
  int batch = 1;                         // most requests of a batch
  double wait_s = 0;                     // that the first request of a batch waits for others, at most
};

// nullopt: not even a batch of one is in time.
std::optional<MachineCapacity> capacity_of(const MachineType& type, const FleetObjective& objective);

}  // namespace stash
