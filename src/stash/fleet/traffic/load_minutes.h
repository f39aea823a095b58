#pragma once

#include <vector>

#include "stash/fleet/policy/fleet_policy.h"
#include "stash/fleet/traffic/load_trace.h"

namespace stash {

// A trace by minutes, as policies see it. Where the busiest five seconds are not known, they are what independent
// arrivals would have. A minute is a hole when none of it was recorded; what was recorded of others is scaled up.
std::vector<LoadMinute> minutes_of(const LoadTrace& trace);

}  // namespace stash
