#include "stash/trace/trace_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/trace/sweep.h"

namespace stash {
namespace {

constexpr std::array<std::string_view, kTraceParts.size()> kNames{"compute", "communication", "copy",
                                                                  "input",   "launch",        "unexplained"};

using Sets = std::array<std::span<const Interval>, kTraceParts.size() - 1>;  // by TracePart

std::span<const Interval>& at(Sets& sets, TracePart part) { return sets[static_cast<std::size_t>(part)]; }

// From the first to the last moment of any set.
Interval extent(const Sets& sets) {
  Interval whole{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const auto& set : sets) {
    if (set.empty()) continue;
    whole.start_ns = std::min(whole.start_ns, set.front().start_ns);
    whole.end_ns = std::max(whole.end_ns, set.back().end_ns);
  }
  return whole;
}

// The order in which sets are asked for a moment: whoever comes first has it.
struct Precedence {
  std::vector<TracePart> order;

  std::vector<TraceStep> share(const Sets& sets, const std::vector<Interval>& windows) const {
    std::vector<std::span<const Interval>> asked;
    for (const TracePart part : order) asked.push_back(sets[static_cast<std::size_t>(part)]);
    std::vector<TraceStep> steps;
    for (const auto& row : share_out(asked, windows)) steps.push_back(to_step(row, sets));
    return steps;
  }

 private:
  TraceStep to_step(const std::vector<std::int64_t>& row, const Sets& sets) const {
    TraceStep step;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool known = !sets[static_cast<std::size_t>(order[i])].empty();
      if (known) stash::at(step.parts, order[i]) = seconds(row[i]);
      step.s += seconds(row[i]);
    }
    stash::at(step.parts, TracePart::unexplained) = seconds(row.back());
    step.s += seconds(row.back());
    return step;
  }
};

const Precedence kOnGpu{
    {TracePart::compute, TracePart::communication, TracePart::copy, TracePart::input, TracePart::launch}};
// A loader without workers runs operators itself, and that is no compute of the step.
const Precedence kOnCpu{{TracePart::input, TracePart::compute, TracePart::communication}};

void set_means(TraceRank& rank) {
  const auto count = static_cast<double>(rank.steps.size());
  for (const TraceStep& step : rank.steps) {
    rank.step_s += step.s / count;
    for (std::size_t i = 0; i < kTraceParts.size(); ++i) {
      if (step.parts[i]) rank.parts[i] = rank.parts[i].value_or(0) + *step.parts[i] / count;
    }
  }
}

double mean_of(std::span<const Interval> set, const std::vector<Interval>& windows) {
  double total_s = 0;
  for (const auto& row : share_out(std::initializer_list<std::span<const Interval>>{set}, windows)) {
    total_s += seconds(row.front());
  }
  return windows.empty() ? 0 : total_s / static_cast<double>(windows.size());
}

void fill(TraceRank& rank, const Sets& sets, const TraceSteps& steps, const Precedence& precedence) {
  rank.step_source = steps.source;
  rank.marked_on_gpu = steps.marked_on_gpu;
  rank.steps = precedence.share(sets, steps.windows);
  rank.communication_s = mean_of(sets[static_cast<std::size_t>(TracePart::communication)], steps.windows);
  set_means(rank);
}

TraceRank rank_of_device(Timeline& timeline, DeviceTimeline& device, std::int64_t number) {
  TraceRank rank{.rank = number, .device = device.device};
  rank.kernels = device.kernels;
  rank.recognised_kernels = device.recognised_kernels;
  rank.collectives = device.collectives;
  rank.named_collectives = device.named_collectives;
  for (const Interval& call : timeline.cpu_communication.merged()) {
    device.communication.add(call.start_ns, call.end_ns);
  }
  Sets sets;
  at(sets, TracePart::compute) = device.compute.merged();
  at(sets, TracePart::communication) = device.communication.merged();
  at(sets, TracePart::copy) = device.copy.merged();
  const Interval activity = extent(sets);
  at(sets, TracePart::input) = timeline.input.merged();
  at(sets, TracePart::launch) = timeline.launches.merged();
  fill(rank, sets, find_steps(timeline.marks, &device.marks, activity), kOnGpu);
  return rank;
}

TraceRank rank_of_process(Timeline& timeline, std::int64_t number) {
  TraceRank rank{.rank = number, .device = std::nullopt};
  Sets sets;
  at(sets, TracePart::compute) = timeline.cpu_ops.merged();
  at(sets, TracePart::communication) = timeline.cpu_communication.merged();
  at(sets, TracePart::input) = timeline.input.merged();
  fill(rank, sets, find_steps(timeline.marks, nullptr, extent(sets)), kOnCpu);
  return rank;
}

std::vector<TraceRank> ranks_of(Timeline& timeline, std::int64_t number) {
  std::vector<TraceRank> ranks;
  std::ranges::sort(timeline.devices, {}, &DeviceTimeline::device);
  const bool on_gpu = std::ranges::any_of(timeline.devices, [](const auto& device) { return device.kernels > 0; });
  if (!on_gpu) {
    ranks.push_back(rank_of_process(timeline, number));
  } else {
    // CPU operators tell launches as well as the runtime's calls do, which a trace need not hold.
    for (const Interval& op : timeline.cpu_ops.merged()) timeline.launches.add(op.start_ns, op.end_ns);
    for (DeviceTimeline& device : timeline.devices) {
      if (device.kernels > 0) ranks.push_back(rank_of_device(timeline, device, number));
    }
  }
  std::erase_if(ranks, [](const TraceRank& rank) { return rank.steps.empty(); });
  return ranks;
}

}  // namespace

std::string_view to_string(TracePart part) { return kNames[static_cast<std::size_t>(part)]; }

double TraceRank::explained_ratio() const {
  return step_s > 0 ? 1 - stash::at(parts, TracePart::unexplained).value_or(0) / step_s : 0;
}

ImportedTrace import_trace(const std::filesystem::path& path) {
  const std::unique_ptr<ByteSource> bytes = open_bytes(path);
  EventReader reader(*bytes);
  Timeline timeline;
  TraceEvent event;
  while (reader.next(event)) timeline.add(event);
  ImportedTrace trace{.path = path, .read = reader.read(), .unusable_events = timeline.unusable};
  if (!trace.read.found_events) {
    throw Error(
        fmt::format("{} is no trace: it has no traceEvents; export one with torch.profiler's "
                    "export_chrome_trace",
                    path.string()));
  }
  trace.rank_known = trace.read.rank.has_value();
  trace.ranks = ranks_of(timeline, trace.read.rank.value_or(0));
  if (trace.ranks.empty()) {
    throw Error(
        fmt::format("{} has {} events, none of them an operator or a kernel with a time; record it with "
                    "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",
                    path.string(), trace.read.events));
  }
  trace.unrecognised_names = timeline.names.unrecognised();
  return trace;
}

}  // namespace stash
