#pragma once

#include <vector>

#include "stash/fleet/traffic/load_trace.h"

namespace stash {

// A token that goes in costs this share of one that comes out: all of those that go in are computed at once.
inline constexpr double kInTokenWork = 0.02;

// The work of every timed request, 1 on average, by its sizes; empty: the trace has none. T(b) is of average requests.
std::vector<float> request_work(const LoadTrace& trace);

}  // namespace stash
