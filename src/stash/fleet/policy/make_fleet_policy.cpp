#include "stash/fleet/policy/make_fleet_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"
#include "stash/fleet/forecast/load_forecaster.h"
#include "stash/fleet/market/rated_type.h"
#include "stash/fleet/policy/mark_policy.h"
#include "stash/fleet/policy/planning_policy.h"
#include "stash/fleet/policy/single_type.h"
#include "stash/fleet/traffic/load_minutes.h"

namespace stash {
namespace {

std::vector<LoadMinute> future_minutes(const FleetPolicyOptions& options) {
  return options.future == nullptr ? std::vector<LoadMinute>{} : minutes_of(*options.future);
}

}  // namespace

std::unique_ptr<FleetPolicy> make_fleet_policy(std::string_view name, const Market& market,
                                               const FleetPolicyOptions& options) {
  if (std::ranges::find(kFleetPolicies, name) == kFleetPolicies.end()) throw_unknown("policy", name, kFleetPolicies);
  const std::vector<RatedType> rated = rated_types(market, options.objective);
  const std::vector<LoadMinute> future = future_minutes(options);
  if (future.empty() && (name == "peak" || name == "oracle")) {
    throw UsageError(fmt::format("the policy '{}' needs to know all of the load: it takes a trace", name));
  }
  if (name == "peak") return make_peak(market, rated, future);
  if (name == "mark") return make_mark(market, options.objective, make_forecaster("lstm", options.begin_s / 60));
  if (name == "stash") {
    return make_planning_policy(name, market, rated, options.objective, make_forecast_outlook(options.begin_s));
  }
  if (name == "oracle") {
    return make_planning_policy(name, market, rated, options.objective, make_known_outlook(future));
  }
  const AutoscalerRule& rule = name == "reactive" ? kManagedRule : kKubernetesRule;
  return make_best_single_type(market, rated, options.objective, rule, future);
}

}  // namespace stash
