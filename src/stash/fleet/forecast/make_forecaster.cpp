#include "stash/core/error.h"
#include "stash/fleet/forecast/autoregressive_forecast.h"
#include "stash/fleet/forecast/best_forecast.h"
#include "stash/fleet/forecast/last_value.h"
#include "stash/fleet/forecast/load_forecaster.h"
#include "stash/fleet/forecast/lstm_forecast.h"
#include "stash/fleet/forecast/seasonal_forecast.h"
#include "stash/fleet/forecast/similar_forecast.h"

namespace stash {
namespace {

std::unique_ptr<LoadForecaster> make_best(double begin_min) {
  std::vector<std::unique_ptr<LoadForecaster>> all;
  all.push_back(make_similar_forecast(begin_min));
  all.push_back(make_lstm_forecast(begin_min));
  all.push_back(make_autoregressive_forecast(begin_min));
  return make_best_forecast(std::move(all));
}

}  // namespace

std::unique_ptr<LoadForecaster> make_forecaster(std::string_view name, double begin_min) {
  if (name == "best") return make_best(begin_min);
  if (name == "similar") return make_similar_forecast(begin_min);
  if (name == "autoregressive") return make_autoregressive_forecast(begin_min);
  if (name == "seasonal") return make_seasonal_forecast(begin_min);
  if (name == "lstm") return make_lstm_forecast(begin_min);
  if (name == "last-value") return make_last_value();
  throw_unknown("forecaster", name, kForecasters);
}

}  // namespace stash
