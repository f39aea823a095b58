#pragma once

#include <string_view>

#include "stash/fleet/traffic/load_trace.h"

namespace stash {

// From `from_s` to `to_s`, since a trace began; within it.
struct TraceSpan {
  double from_s = 0;
  double to_s = 0;
};

// Days "3" or "3-7" of a trace, each 24 hours, from 1 on; empty: all. UsageError where the trace has no such day.
TraceSpan parse_trace_days(std::string_view days, const LoadTrace& trace);

// The trace with holes outside of the span, for those that may know what comes in it.
LoadTrace only_span(LoadTrace trace, const TraceSpan& span);

}  // namespace stash
