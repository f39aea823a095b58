#pragma once

#include <string>

#include "stash/fleet/live/fleet_summary.h"

namespace stash {

// Verdict first, then requests, what was rented and why.
std::string fleet_run_text(const FleetSummary& summary);
std::string fleet_run_json(const FleetSummary& summary);

// One line while it runs: "12 min: 240 requests per minute, 1.2 % missed; 3 machines, 1 starts; $0.42".
std::string fleet_progress(const FleetSummary& summary, double rate_per_s);

}  // namespace stash
