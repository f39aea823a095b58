#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "stash/serve/batching/serve_settings.h"
#include "stash/serve/bench/serve_bench.h"
#include "stash/serve/model/served_model.h"
#include "stash/serve/worker/worker_crew.h"

namespace stash {

struct BenchOptions {
  ServeSettings settings;
  std::optional<double> rate_per_s{};  // nullopt: half of what the device can do
  double duration_s = 30;
  double window_s = 0.5;
  int connections = 64;
  std::uint64_t seed = 1;
  int stop_fd = -1;  // what was measured by then counts
  std::function<void(std::size_t sent, std::size_t planned)> on_tick{};
};

// Starts a server of one model on a free port of 127.0.0.1 and sends it one open-loop load, during which conditions
// alternate in windows. UsageError where the time is too short for a round, or the objective cannot be met.
ServeBench run_bench(const ServedModel& model, const BenchOptions& options);

// The same of a real model, the only one of `workers`, which is loaded.
ServeBench run_bench(WorkerCrew& workers, const BenchOptions& options);

}  // namespace stash
