#pragma once

#include <string>

#include "stash/fleet/plan/fleet_plan.h"

namespace stash {

// The load with the band of its forecasts, machines over the day, why each of them is there and what the next dollar
// buys, as one HTML file.
std::string render_fleet_plan_html(const FleetPlan& plan);

}  // namespace stash
