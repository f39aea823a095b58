#pragma once

#include <string>

#include "stash/fleet/replay/replay_comparison.h"
#include "stash/report/report.h"

namespace stash {

// One line: what the best policy costs and misses, and how the others compare.
std::string fleet_replay_verdict(const ReplayComparison& comparison);
// "resnet50 on the catalogue, 98 % within 200 ms; 15 days of load.csv, 82,328,016 requests".
std::string fleet_replay_setting(const ReplayComparison& comparison);

// The page for people: verdict, policies side by side, their machines, why the fleet changed.
std::string fleet_replay_text(const ReplayComparison& comparison, const ReportOptions& options);
// One JSON object, ASCII; docs/cli/fleet.md describes it.
std::string fleet_replay_json(const ReplayComparison& comparison);
// A row per policy and seed.
std::string fleet_replay_csv(const ReplayComparison& comparison);

std::string fleet_usd_text(double usd);                                       // "$1,234", "$12.30"
std::string fleet_percent_text(double ratio);                                 // "0.04 %"
std::string fleet_moment_text(const ReplayComparison& comparison, double s);  // "day 3, 14:05"

}  // namespace stash
