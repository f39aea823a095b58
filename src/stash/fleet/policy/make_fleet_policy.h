#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "stash/fleet/market/market.h"
#include "stash/fleet/policy/fleet_policy.h"
#include "stash/fleet/traffic/load_trace.h"

namespace stash {

inline constexpr std::array<std::string_view, 6> kFleetPolicies{"stash",       "mark", "reactive",
                                                                "best-single", "peak", "oracle"};

struct FleetPolicyOptions {
  FleetObjective objective;
  // What will come, for those that know it: oracle, peak, best-single. It outlives the policy. nullptr: they are
  // refused.
  const LoadTrace* future = nullptr;
  double begin_s = 0;  // of the first minute that the policy sees, on a clock whose days begin at 0
};

// UsageError names the nearest of kFleetPolicies, or says that no machine can meet the objective. The market outlives
// the policy.
std::unique_ptr<FleetPolicy> make_fleet_policy(std::string_view name, const Market& market,
                                               const FleetPolicyOptions& options);

}  // namespace stash
