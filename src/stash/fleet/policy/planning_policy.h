#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stash/fleet/market/rated_type.h"
#include "stash/fleet/policy/fleet_policy.h"
#include "stash/fleet/policy/rolling_plan.h"

namespace stash {

// Where a planning policy takes the coming load from.
class LoadOutlook {
 public:
  virtual ~LoadOutlook() = default;
  virtual void see(const FleetView& view) = 0;
  // What may come in the `minutes` after the next `begin_min`, per minute.
  virtual std::vector<PlanSlot::Load> loads(int begin_min, int minutes) const = 0;
  // Of the minute that begins `ahead_min` after `now_s`.
  virtual LoadBand band(double now_s, int ahead_min) const = 0;
  virtual bool is_unusual() const { return false; }
};

std::unique_ptr<LoadOutlook> make_forecast_outlook(double begin_s);
std::unique_ptr<LoadOutlook> make_known_outlook(std::vector<LoadMinute> future);

// Every minute an integer program over the coming half hour (rolling_plan): machines by type and minute, on demand and
// spot, their starts and least times, and functions or misses for what they cannot take. The bound on missed requests
// is kept by counting: functions are used while more were missed than a part of what the objective allows.
std::unique_ptr<FleetPolicy> make_planning_policy(std::string_view name, const Market& market,
                                                  std::span<const RatedType> rated, const FleetObjective& objective,
                                                  std::unique_ptr<LoadOutlook> outlook);

}  // namespace stash
