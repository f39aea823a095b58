#pragma once

#include <vector>

#include "stash/fleet/policy/fleet_policy.h"
#include "stash/fleet/traffic/load_trace.h"
#include "stash/fleet/traffic/trace_days.h"

namespace stash {

// The whole minutes before span.from_s, as a policy sees them. The busiest five seconds are those of the file, or of
// its seconds; where it has neither, three deviations above an even share.
std::vector<LoadMinute> trace_minutes(const LoadTrace& trace, const TraceSpan& span);
LoadMinute first_minute(const LoadTrace& trace, double from_s = 0);
// Which minutes were not recorded, or less than half of them.
std::vector<bool> minute_holes(const LoadTrace& trace);

}  // namespace stash
