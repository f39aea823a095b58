#include "stash/fleet/policy/make_fleet_policy.h"

#include "stash/core/error.h"

namespace stash {

std::unique_ptr<FleetPolicy> make_fleet_policy(std::string_view name, const Market&, const FleetPolicyOptions&) {
  throw_unknown("policy", name, kFleetPolicies);
}

}  // namespace stash
