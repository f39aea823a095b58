#pragma once

#include <memory>

#include "stash/fleet/forecast/load_forecaster.h"

namespace stash {

// Ridge regression of the logarithm of the load over its level on recent minutes, the same minute of earlier hours and
// of earlier days, fitted anew every hour to all that was seen; quantiles are those of its errors over the last days.
std::unique_ptr<LoadForecaster> make_autoregressive_forecast(double begin_min);

}  // namespace stash
