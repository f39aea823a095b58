#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stash/fleet/forecast/load_forecaster.h"
#include "stash/fleet/policy/fleet_policy.h"

namespace stash {

// A machine as MArk counts it.
struct MarkMachine {
  double per_min = 0;
  double usd_per_s = 0;
};

// MArk's batch: the largest b whose wait for others, as long as its own time, and T(b) are within the objective and
// that serves more per second than single requests; requests per minute with it. 0: not even single requests are in
// time.
double mark_per_min(const MachineType& type, double objective_s);

// MArk's greedy plan from nothing: how many of each machine, for this load per minute. `running` need no launch, which
// else costs 180 s.
std::vector<int> mark_plan(std::span<const MarkMachine> machines, std::span<const double> per_min,
                           std::span<const int> running);

std::unique_ptr<FleetPolicy> make_mark(const Market& market, const FleetObjective& objective,
                                       std::unique_ptr<LoadForecaster> forecaster);

}  // namespace stash
