#include "stash/trace/timeline.h"

#include <array>
#include <charconv>

namespace stash {
namespace {

enum class Category { cpu_op, runtime, kernel, copy, annotation, gpu_annotation, other };

struct CategoryName {
  std::string_view name;
  Category category;
};

// As torch.profiler writes them, 1.8 to 2.x; the most frequent first.
constexpr std::array kCategories{CategoryName{"cpu_op", Category::cpu_op},
                                 CategoryName{"cuda_runtime", Category::runtime},
                                 CategoryName{"kernel", Category::kernel},
                                 CategoryName{"ac2g", Category::other},
                                 CategoryName{"python_function", Category::other},
                                 CategoryName{"gpu_memcpy", Category::copy},
                                 CategoryName{"gpu_memset", Category::copy},
                                 CategoryName{"cuda_driver", Category::runtime},
                                 CategoryName{"user_annotation", Category::annotation},
                                 CategoryName{"gpu_user_annotation", Category::gpu_annotation},
                                 CategoryName{"xpu_runtime", Category::runtime},
                                 CategoryName{"privateuse1_runtime", Category::runtime},
                                 CategoryName{"concurrent_kernel", Category::kernel},
                                 CategoryName{"Operator", Category::cpu_op},
                                 CategoryName{"Kernel", Category::kernel},
                                 CategoryName{"Runtime", Category::runtime},
                                 CategoryName{"Memcpy", Category::copy},
                                 CategoryName{"Memset", Category::copy}};

constexpr std::string_view kProfilerStep = "ProfilerStep#";
constexpr std::string_view kOptimizerStep = "Optimizer.step#";
constexpr std::string_view kNextBatch = "enumerate(DataLoader)";
constexpr std::string_view kLightningNextBatch = "train_dataloader_next";
constexpr std::array<std::string_view, 3> kCpuCollectives{"gloo:", "mpi:", "ucc:"};

Category category_of(std::string_view name) {
  for (const CategoryName& known : kCategories) {
    if (known.name == name) return known.category;
  }
  return Category::other;
}

std::int64_t step_number(std::string_view name) {
  std::int64_t number = 0;
  std::from_chars(name.data() + kProfilerStep.size(), name.data() + name.size(), number);
  return number;
}

bool add_mark(StepMarks& marks, std::string_view name, Interval time) {
  if (name.starts_with(kProfilerStep)) return marks.profiler.push_back({step_number(name), time}), true;
  if (name.starts_with(kOptimizerStep)) return marks.optimizer.push_back({0, time}), true;
  return false;
}

bool is_cpu_collective(std::string_view name) {
  for (const std::string_view prefix : kCpuCollectives) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

bool is_next_batch(std::string_view name) {
  return name.starts_with(kNextBatch) || (name.starts_with('[') && name.ends_with(kLightningNextBatch));
}

// None of the names that add_named looks for begins with another letter; nine in ten operators do.
bool may_be_named(std::string_view name) {
  return !name.empty() && std::string_view("POe[gmu").find(name.front()) != std::string_view::npos;
}

}  // namespace

void Timeline::add(const TraceEvent& event) {
  if (event.phase != 'X') return;
  const Category category = category_of(event.category);
  if (category == Category::other) return;
  if (!event.start_ns || !event.duration_ns || *event.duration_ns < 0) {
    ++unusable;
    return;
  }
  const Interval time{*event.start_ns, *event.start_ns + *event.duration_ns};
  if (category == Category::cpu_op) return add_cpu_op(event, time);
  if (category == Category::runtime) return launches.add(time.start_ns, time.end_ns);
  if (category == Category::kernel) return add_kernel(event, time);
  if (category == Category::copy) return add_copy(event, time);
  if (category == Category::gpu_annotation) return add_gpu_mark(event, time);
  add_named(event, time);
}

DeviceTimeline* Timeline::device_of(const TraceEvent& event) {
  if (event.process) {
    for (DeviceTimeline& known : devices) {
      if (known.device == *event.process) return &known;
    }
    if (devices.size() < kMostDevices) {
      devices.emplace_back().device = *event.process;
      return &devices.back();
    }
  }
  ++unusable;
  return nullptr;
}

void Timeline::add_kernel(const TraceEvent& event, Interval time) {
  DeviceTimeline* const device = device_of(event);
  if (device == nullptr) return;
  const KernelName& name = names.find(event.name);
  ++device->kernels;
  if (name.recognised) ++device->recognised_kernels;
  if (name.kind == KernelKind::compute) return device->compute.add(time.start_ns, time.end_ns);
  ++device->collectives;
  if (!name.collective.empty()) ++device->named_collectives;
  device->communication.add(time.start_ns, time.end_ns);
}

void Timeline::add_copy(const TraceEvent& event, Interval time) {
  if (DeviceTimeline* const device = device_of(event)) device->copy.add(time.start_ns, time.end_ns);
}

void Timeline::add_gpu_mark(const TraceEvent& event, Interval time) {
  const bool counts = event.name.starts_with(kProfilerStep) || event.name.starts_with(kOptimizerStep);
  if (!counts) return;
  if (DeviceTimeline* const device = device_of(event)) add_mark(device->marks, event.name, time);
}

void Timeline::add_cpu_op(const TraceEvent& event, Interval time) {
  // Before torch 1.12 annotations were operators too.
  if (may_be_named(event.name) && add_named(event, time)) return;
  cpu_ops.add(time.start_ns, time.end_ns);
}

bool Timeline::add_named(const TraceEvent& event, Interval time) {
  if (add_mark(marks, event.name, time)) return true;
  if (is_next_batch(event.name)) return input.add(time.start_ns, time.end_ns), true;
  if (is_cpu_collective(event.name)) return cpu_communication.add(time.start_ns, time.end_ns), true;
  return false;
}

}  // namespace stash
