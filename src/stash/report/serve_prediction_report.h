#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/report/report.h"
#include "stash/serve/predict/simulate_serving.h"

namespace stash {

struct ServePredictionRow {
  std::string machine;
  std::string gpu;
  std::optional<double> usd_per_million{};  // answered requests, if every GPU of the machine serves so
  std::vector<BatchTime> batches{};
  std::optional<PredictedServing> served{};
  std::string why_not{};  // where nothing is predicted
};

struct ServePrediction {
  std::string model;
  double rate_per_s = 0;
  std::optional<double> objective_s{};
  std::vector<ServePredictionRow> rows{};
};

std::string serve_prediction_text(const ServePrediction& prediction, const ReportOptions& options);
std::string serve_prediction_json(const ServePrediction& prediction);

}  // namespace stash
