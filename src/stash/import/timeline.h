#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "stash/import/intervals.h"
#include "stash/import/kernel_names.h"
#include "stash/import/trace_event.h"

namespace stash {

// ProfilerStep#12 or one call of an optimizer, on the CPU or as the kernels that it started.
struct StepMark {
  std::int64_t number = 0;
  Interval time;
};

struct StepMarks {
  static constexpr std::size_t kMost = 100'000;  // of each; a trace has dozens
  std::vector<StepMark> profiler, optimizer;
};

// What one GPU did.
struct DeviceTimeline {
  std::int64_t device = 0;
  IntervalSet compute, communication, copy;
  StepMarks marks;
  std::uint64_t kernels = 0, recognised_kernels = 0;
  double kernel_ns = 0, recognised_kernel_ns = 0;        // sums; kernels may overlap
  std::uint64_t collectives = 0, named_collectives = 0;  // kernels that communicate; those that say what they do
};

// What a trace tells of one process: when its GPUs and its CPU threads did what.
class Timeline {
 public:
  static constexpr std::size_t kMostDevices = 64;                         // of one process
  static constexpr std::int64_t kLongest_ns = 1'000'000'000'000'000'000;  // 31 years; times then differ by 63 bits
  static constexpr std::size_t kUnknownKept = 5, kUnknownKept_bytes = 80;

  void add(const TraceEvent& event);

  std::vector<DeviceTimeline> devices;
  IntervalSet cpu_ops;            // operators, on any thread
  IntervalSet launches;           // calls of the GPU's runtime
  IntervalSet cpu_communication;  // collectives of Gloo, MPI, UCC, on threads of their own
  IntervalSet collective_calls;   // calls that start them, and may wait
  IntervalSet input;              // waiting for the next batch
  StepMarks marks;
  std::uint64_t unusable = 0;  // events of a kind that counts, without a place in time or beyond a limit
  std::uint64_t unknown = 0;   // events of a category that is not known
  std::vector<std::string> unknown_categories;
  KernelNames names;

 private:
  void note_unknown(std::string_view category);
  bool add_mark(StepMarks& marks, std::string_view name, Interval time);
  DeviceTimeline* device_of(const TraceEvent& event);
  void add_kernel(const TraceEvent& event, Interval time);
  void add_copy(const TraceEvent& event, Interval time);
  void add_gpu_mark(const TraceEvent& event, Interval time);
  void add_cpu_op(const TraceEvent& event, Interval time);
  bool add_named(const TraceEvent& event, Interval time);
};

}  // namespace stash
