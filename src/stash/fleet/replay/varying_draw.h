#pragma once

#include <random>

#include "stash/fleet/market/start_time.h"

namespace stash {

// One duration, drawn.
double draw_s(const VaryingTime& time, std::mt19937_64& random);
// All parts of a start.
double draw_s(const StartTime& start, std::mt19937_64& random);

}  // namespace stash
