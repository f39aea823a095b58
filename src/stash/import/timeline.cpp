#include "stash/import/timeline.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace stash {
namespace {

enum class Category { cpu_op, runtime, kernel, copy, annotation, gpu_annotation, other, unknown };

struct CategoryName {
  std::string_view name;
  Category category;
};

// As torch.profiler writes them, 1.8 to 2.x; the most frequent first.
constexpr std::array kCategories{CategoryName{"cpu_op", Category::cpu_op},
                                 CategoryName{"cuda_runtime", Category::runtime},
                                 CategoryName{"kernel", Category::kernel},
                                 CategoryName{"python_function", Category::other},
                                 CategoryName{"gpu_memcpy", Category::copy},
                                 CategoryName{"gpu_memset", Category::copy},
                                 CategoryName{"cuda_driver", Category::runtime},
                                 CategoryName{"user_annotation", Category::annotation},
                                 CategoryName{"gpu_user_annotation", Category::gpu_annotation},
                                 CategoryName{"xpu_runtime", Category::runtime},
                                 CategoryName{"xpu_driver", Category::runtime},
                                 CategoryName{"privateuse1_runtime", Category::runtime},
                                 CategoryName{"privateuse1_driver", Category::runtime},
                                 CategoryName{"Trace", Category::other},
                                 CategoryName{"overhead", Category::other},
                                 CategoryName{"cuda_sync", Category::other},
                                 CategoryName{"cuda_profiler_range", Category::other},
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
constexpr std::array<std::string_view, 2> kCollectiveCalls{"c10d::", "record_param_comms"};

Category category_of(std::string_view name) {
  for (const CategoryName& known : kCategories) {
    if (known.name == name) return known.category;
  }
  return Category::unknown;
}

std::int64_t step_number(std::string_view name) {
  std::int64_t number = 0;
  std::from_chars(name.data() + kProfilerStep.size(), name.data() + name.size(), number);
  return number;
}

template <std::size_t N>
bool starts_with_any(std::string_view name, const std::array<std::string_view, N>& prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

bool is_next_batch(std::string_view name) {
  return name.starts_with(kNextBatch) || (name.starts_with('[') && name.ends_with(kLightningNextBatch));
}

// None of the names that add_named looks for begins with another letter; nine in ten operators do.
bool may_be_named(std::string_view name) {
  return !name.empty() && std::string_view("POe[gmucr").find(name.front()) != std::string_view::npos;
}

}  // namespace

void Timeline::add(const TraceEvent& event) {
  if (event.phase != 'X') return;
  const Category category = category_of(event.category);
  if (category == Category::other) return;
  if (category == Category::unknown) return note_unknown(event.category);
  if (!event.start_ns || !event.duration_ns || *event.duration_ns < 0 || *event.duration_ns > kLongest_ns) {
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

void Timeline::note_unknown(std::string_view category) {
  ++unknown;
  category = category.substr(0, kUnknownKept_bytes);
  const bool keep = unknown_categories.size() < kUnknownKept &&
                    std::ranges::find(unknown_categories, category) == unknown_categories.end();
  if (keep) unknown_categories.emplace_back(category);
}

// True also for a mark beyond the limit, which is counted instead.
bool Timeline::add_mark(StepMarks& into, std::string_view name, Interval time) {
  const bool profiler = name.starts_with(kProfilerStep);
  if (!profiler && !name.starts_with(kOptimizerStep)) return false;
  std::vector<StepMark>& list = profiler ? into.profiler : into.optimizer;
  if (list.size() < StepMarks::kMost) {
    list.push_back({profiler ? step_number(name) : 0, time});
  } else {
    ++unusable;
  }
  return true;
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
  const auto ns = static_cast<double>(time.end_ns - time.start_ns);
  ++device->kernels;
  device->kernel_ns += ns;
  if (name.recognised) ++device->recognised_kernels, device->recognised_kernel_ns += ns;
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
  if (starts_with_any(event.name, kCpuCollectives)) return cpu_communication.add(time.start_ns, time.end_ns), true;
  if (starts_with_any(event.name, kCollectiveCalls)) return collective_calls.add(time.start_ns, time.end_ns), true;
  return false;
}

}  // namespace stash
