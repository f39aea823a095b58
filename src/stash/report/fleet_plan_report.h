#pragma once

#include <string>

#include "stash/fleet/plan/fleet_plan.h"
#include "stash/report/report.h"

namespace stash {

// One line: what to rent, what it costs, what it misses.
std::string fleet_plan_verdict(const FleetPlan& plan);
std::string fleet_plan_text(const FleetPlan& plan, const ReportOptions& options);
// One JSON object, ASCII; docs/cli/fleet.md describes it.
std::string fleet_plan_json(const FleetPlan& plan);

// Words that the text and the page share.
std::string planned_clock_text(double s);  // "14:05"
std::string planned_range_text(int fewest, int most);
std::string planned_capacity_text(const PlannedType& type);  // requests per second, with their interval

}  // namespace stash
