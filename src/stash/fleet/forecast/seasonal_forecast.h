#pragma once

#include <memory>

#include "stash/fleet/forecast/load_forecaster.h"

namespace stash {

// The same minute of earlier days and its neighbours, in proportion to the level of now.
std::unique_ptr<LoadForecaster> make_seasonal_forecast(double begin_min);

}  // namespace stash
