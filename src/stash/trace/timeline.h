#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "stash/trace/event.h"
#include "stash/trace/intervals.h"
#include "stash/trace/kernel_names.h"

namespace stash {

// ProfilerStep#12 or one call of an optimizer, on the CPU or as the kernels that it started.
struct StepMark {
  std::int64_t number = 0;
  Interval time;
};

struct StepMarks {
  std::vector<StepMark> profiler, optimizer;
};

// What one GPU did.
struct DeviceTimeline {
  std::int64_t device = 0;
  IntervalSet compute, communication, copy;
  StepMarks marks;
  std::uint64_t kernels = 0, recognised_kernels = 0;
  std::uint64_t collectives = 0, named_collectives = 0;  // kernels that communicate; those that say what they do
};

// What a trace tells of one process: when its GPUs and its CPU threads did what.
class Timeline {
 public:
  static constexpr std::size_t kMostDevices = 64;  // of one process

  void add(const TraceEvent& event);

  std::vector<DeviceTimeline> devices;
  IntervalSet cpu_ops;            // operators, on any thread
  IntervalSet launches;           // calls of the GPU's runtime
  IntervalSet cpu_communication;  // collectives of Gloo, MPI, UCC
  IntervalSet input;              // waiting for the next batch
  StepMarks marks;
  std::uint64_t unusable = 0;  // events of a kind that counts, without a place in time
  KernelNames names;

 private:
  DeviceTimeline* device_of(const TraceEvent& event);
  void add_kernel(const TraceEvent& event, Interval time);
  void add_copy(const TraceEvent& event, Interval time);
  void add_gpu_mark(const TraceEvent& event, Interval time);
  void add_cpu_op(const TraceEvent& event, Interval time);
  bool add_named(const TraceEvent& event, Interval time);
};

}  // namespace stash
