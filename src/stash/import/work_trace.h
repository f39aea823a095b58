#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stash/import/timeline.h"

namespace stash {

// An operator or a mark of the program on a thread. Those inside it follow it, up to `end`.
struct TracedOp {
  std::string name;
  std::string arguments;  // as written
  std::int64_t thread = 0;
  Interval time;
  std::optional<std::int64_t> external, sequence;
  std::size_t parent = 0;  // itself: none
  std::size_t end = 0;     // the first op behind all that are inside

  std::int64_t ns() const { return time.end_ns - time.start_ns; }
};

// A kernel, or a copy inside the GPU.
struct TracedKernel {
  std::string name;
  Interval time;
  std::optional<std::int64_t> external;  // of the op that launched it
};

// What of a trace a step's work is read from.
struct WorkTrace {
  std::vector<TracedOp> ops;  // by thread, by time, outer before inner
  std::vector<TracedKernel> kernels;
  std::vector<Interval> steps;

  static constexpr std::size_t kMostEvents = 2'000'000;
  static constexpr std::size_t kMostText_bytes = 512u << 20;
};

// Error where the file is none, marks no step, or is larger than what a few steps come to.
WorkTrace read_work_trace(const std::filesystem::path& path);

// Orders ops and finds what is inside what.
void nest(std::vector<TracedOp>& ops);

}  // namespace stash
