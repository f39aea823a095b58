#pragma once

#include <memory>

#include "stash/fleet/forecast/load_forecaster.h"

namespace stash {

// A small LSTM whose weights were trained offline (bench/fleet_lstm.py, data/fleet_lstm.csv) and do not change.
std::unique_ptr<LoadForecaster> make_lstm_forecast(double begin_min);

}  // namespace stash
