#pragma once

#include <cstdint>
#include <functional>

#include "stash/fleet/policy/fleet_policy.h"
#include "stash/fleet/replay/replay_result.h"
#include "stash/fleet/traffic/load_trace.h"
#include "stash/fleet/traffic/trace_days.h"

namespace stash {

// What goes wrong on purpose.
struct ReplayFaults {
  double kill_every_s = 0;      // a machine that is ready, at random; 0: never
  double start_time_ratio = 1;  // all starts take this many times longer
};

struct ReplayOptions {
  FleetObjective objective;
  std::uint64_t seed = 1;
  TraceSpan span;  // of the trace; minutes before it are known to the policy
  ReplayFaults faults{};
  // Machines that are ordered this early are ready at once: the fleet is taken over, not started from nothing.
  double taken_over_s = 600;
  int attempts = 3;                                      // on different devices, before a request is refused
  std::function<void(double done_ratio)> on_progress{};  // about every hour of the trace
};

// Every request of the trace, on the machines that the policy orders. Requests go to devices in weighted round robin;
// each device makes batches by the rule of `stash serve`. A hole of the trace costs nothing and nothing is decided in
// it. Memory does not depend on the number of requests. UsageError where the policy orders a machine that cannot meet
// the objective.
ReplayResult replay_fleet(const Market& market, const LoadTrace& trace, FleetPolicy& policy,
                          const ReplayOptions& options);

}  // namespace stash
