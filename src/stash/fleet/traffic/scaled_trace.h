#pragma once

#include <cstdint>

#include "stash/fleet/traffic/load_trace.h"

namespace stash {

// The same traffic with `ratio` times as many requests: below 1 each is kept with that probability, above each is
// repeated, with a further one by chance. UsageError where a slot would not fit into its number.
LoadTrace scaled_trace(LoadTrace trace, double ratio, std::uint64_t seed);

}  // namespace stash
