#pragma once

#include <random>

#include "stash/fleet/market/start_time.h"

namespace stash {

// One start of a machine: each part drawn from its own distribution.
double draw_start_s(const StartTime& start, std::mt19937_64& random);

}  // namespace stash
