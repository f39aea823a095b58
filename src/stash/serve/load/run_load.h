#pragma once

#include <functional>
#include <string>
#include <vector>

#include "stash/serve/load/load_result.h"
#include "stash/serve/load/load_target.h"
#include "stash/serve/load/planned_arrivals.h"

namespace stash {

inline constexpr int kMostConnections = 20'000;
inline constexpr int kMostInFlight = 256;  // on one connection

struct LoadOptions {
  int connections = 256;
  int in_flight = 1;  // requests on one connection that wait for their answers; more than 1 is HTTP pipelining
  double timeout_s = 30;
  int stop_fd = -1;                                                       // the run ends when it can be read
  std::function<void(std::int64_t start_ns)> on_start{};                  // just before the plan starts
  std::function<void(std::size_t sent, std::size_t answered)> on_tick{};  // about every 0.2 s
};

struct LoadRun {
  std::vector<SentRequest> requests;  // in the order of the plan; only what was due before the end
  std::int64_t start_ns = 0;          // of the plan, on the clock of now_ns()
  bool interrupted = false;
};

// Sends `request` at every time of the plan, whatever became of those before (an open loop), and waits for the answers.
// All connections are made beforehand; one that breaks is made again. Error where the server cannot be reached.
LoadRun run_load(const LoadTarget& target, const std::string& request, const ArrivalPlan& plan,
                 const LoadOptions& options);

}  // namespace stash
