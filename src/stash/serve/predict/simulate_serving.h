#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stash/serve/batching/request_times.h"
#include "stash/serve/batching/serve_settings.h"
#include "stash/serve/model/served_model.h"

namespace stash {

struct ServingLoad {
  double rate_per_s = 0;   // Poisson
  double duration_s = 60;  // of simulated time
  std::uint64_t seed = 1;
  double beside_s = 0;  // what a batch takes beside T(b), in the server and on its way
};

// What a server with these settings does at this rate. Seconds are those of the answered requests.
struct PredictedServing {
  std::size_t planned = 0;
  std::size_t answered = 0;
  double throughput_per_s = 0;
  double capacity_per_s = 0;  // of batches that are as large as the settings let them be
  double busy_ratio = 0;      // of the device
  double mean_s = 0, p50_s = 0, p90_s = 0, p99_s = 0;
  double refused_ratio = 0;
  std::optional<double> within_objective_ratio{};
  double mean_batch = 0;
  int most_rows = 0;                                           // of a batch
  std::array<std::optional<double>, kRequestParts> parts_s{};  // means; absent: does not apply
};

// Runs the server's own scheduler in simulated time. UsageError where the objective cannot be met, or the load is too
// large to simulate.
PredictedServing simulate_serving(const ServedModel& model, const ServeSettings& settings, const ServingLoad& load);

}  // namespace stash
