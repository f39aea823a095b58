#pragma once

#include <memory>

#include "stash/fleet/forecast/load_forecaster.h"

namespace stash {

// What followed similar moments: those at the same minute of an hour, the more the nearer their time of day is and the
// more alike their last two minutes are, relative to the level.
std::unique_ptr<LoadForecaster> make_similar_forecast(double begin_min);

}  // namespace stash
