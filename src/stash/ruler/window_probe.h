#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stash/core/trace.h"
#include "stash/core/variant.h"

namespace stash {

// What a rank saw inside a window, beside the time that it took.
struct WindowSight {
  double input_wait_s = 0;
  double collective_s = 0;                          // sum over collectives, issue to completion
  std::vector<double> arrivals_s = {};              // when it issued the first of them, by its own clock
  std::optional<double> queued_start_samples = {};  // prepared and not yet taken, where there is a queue
  std::optional<double> queued_end_samples = {};
};

// The spans of one rank in a traced window, counted from the moment at which its clock started.
struct TimedTrace {
  RankTrace trace;
  std::int64_t began_ns = 0;  // by the rank's own clock
};

// Looks into a workload's windows. Looking neither locks nor allocates while a window's clock runs.
class WindowProbe {
 public:
  virtual ~WindowProbe() = default;

  // Nothing counts until start(). Where the coming window is traced, there is room for this many spans.
  virtual void prepare(const Variant& variant, std::optional<std::size_t> span_room) = 0;
  virtual void start() = 0;
  virtual WindowSight stop() = 0;  // the device is idle
  // Of the window that was prepared with room and took `wall_s`; nullopt on a rank that waited.
  virtual std::optional<TimedTrace> trace(double wall_s) = 0;
};

}  // namespace stash
