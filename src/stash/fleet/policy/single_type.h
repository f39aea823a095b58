#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "stash/fleet/market/rated_type.h"
#include "stash/fleet/policy/fleet_policy.h"

namespace stash {

// How an autoscaler of one type follows the load of the minutes that are over.
struct AutoscalerRule {
  std::string_view name;
  double target_ratio = 0.7;   // load of a machine that it aims at, of what it can take
  double tolerance_ratio = 0;  // of the target, within which nothing changes
  int out_minutes = 1;         // all of the last ones ask for more machines before it starts them
  int in_minutes = 5;          // all of the last ones ask for fewer before it stops them
  double rest_s = 0;           // between changes
  double period_s = 60;
  bool is_managed = false;  // billed at the managed service's price
};

// Kubernetes' horizontal pod autoscaler: decides every 15 s, tolerance 10 %, no delay upwards, downwards the largest
// wish of the last 5 minutes.
inline constexpr AutoscalerRule kKubernetesRule{
    .name = "best-single", .target_ratio = 0.7, .tolerance_ratio = 0.1, .period_s = 15};
// SageMaker's target tracking: alarms after 3 minutes above the target and 15 minutes below 90 % of it, 300 s between
// changes, half of what a machine can take as the target (the safety factor of its guide).
inline constexpr AutoscalerRule kManagedRule{
    .name = "reactive", .target_ratio = 0.5, .out_minutes = 3, .in_minutes = 15, .rest_s = 300, .is_managed = true};

std::unique_ptr<FleetPolicy> make_single_type(const Market& market, const RatedType& type, const AutoscalerRule& rule);

// The type, and for a rule that is not managed the target too, that would have cost least over these minutes while
// missing at most what the objective allows; where none would, what misses least. No minutes: the cheapest type per
// request.
std::unique_ptr<FleetPolicy> make_best_single_type(const Market& market, std::span<const RatedType> rated,
                                                   const FleetObjective& objective, AutoscalerRule rule,
                                                   std::span<const LoadMinute> minutes);

// As many of one type as the busiest five seconds of these minutes need, all the time.
std::unique_ptr<FleetPolicy> make_peak(const Market& market, std::span<const RatedType> rated,
                                       std::span<const LoadMinute> minutes);

}  // namespace stash
