#pragma once

#include <string>

#include "stash/fleet/replay/replay_comparison.h"

namespace stash {

// Load with its forecast, machines over time, cost and misses of every policy, as one HTML file.
std::string render_fleet_replay_html(const ReplayComparison& comparison);

}  // namespace stash
