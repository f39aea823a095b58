#pragma once

#include <optional>
#include <vector>

#include "stash/import/timeline.h"

namespace stash {

// What a step's beginning and end were taken from.
enum class StepSource { profiler, optimizer, whole };
std::string_view to_string(StepSource source);

struct TraceSteps {
  StepSource source = StepSource::whole;
  std::vector<Interval> windows;  // in order, apart from each other
  bool marked_on_gpu = false;     // false: the CPU's marks, and the GPU may run behind them
  std::size_t left_out = 0;       // see leave_out_cut
};

// Steps of one GPU, or with nullptr of a process without one. `activity` is the first to the last thing it did.
TraceSteps find_steps(const StepMarks& cpu, const StepMarks* gpu, Interval activity);

// A profiler writes all that the CPU did before what the GPU did. Where the file ends too early, steps behind the last
// activity, and the one in which it ends, miss work that was done: they are left out, or the only one is shortened.
void leave_out_cut(TraceSteps& steps, Interval activity);

}  // namespace stash
