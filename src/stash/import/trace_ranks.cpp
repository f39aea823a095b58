#include "stash/import/trace_ranks.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "stash/core/clock.h"
#include "stash/import/sweep.h"

namespace stash {
namespace {

constexpr double kNs_s = 1e-9;

// Times that belong to a part, unless a claim before this one has them.
struct Claim {
  TracePart part;
  std::span<const Interval> times;
};
using Claims = std::vector<Claim>;

// From the first to the last moment of any claim.
Interval extent(const Claims& claims) {
  Interval whole{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const Claim& claim : claims) {
    if (claim.times.empty()) continue;
    whole.start_ns = std::min(whole.start_ns, claim.times.front().start_ns);
    whole.end_ns = std::max(whole.end_ns, claim.times.back().end_ns);
  }
  return whole;
}

TraceStep to_step(const std::vector<std::int64_t>& row, const Claims& claims) {
  TraceStep step{.s = seconds(std::accumulate(row.begin(), row.end(), std::int64_t{0}))};
  for (std::size_t i = 0; i < claims.size(); ++i) {
    std::optional<double>& part = at(step.parts, claims[i].part);
    if (!claims[i].times.empty()) part = part.value_or(0) + seconds(row[i]);
  }
  at(step.parts, TracePart::unexplained) = seconds(row.back());
  return step;
}

std::vector<TraceStep> share(const Claims& claims, const std::vector<Interval>& windows) {
  std::vector<std::span<const Interval>> sets;
  for (const Claim& claim : claims) sets.push_back(claim.times);
  std::vector<TraceStep> steps;
  for (const auto& row : share_out(sets, windows)) steps.push_back(to_step(row, claims));
  return steps;
}

// Alone, hidden or not.
double mean_s(std::span<const Interval> set, const std::vector<Interval>& windows) {
  double total_s = 0;
  const std::array<std::span<const Interval>, 1> alone{set};
  for (const auto& row : share_out(alone, windows)) total_s += seconds(row.front());
  return windows.empty() ? 0 : total_s / static_cast<double>(windows.size());
}

void set_means(TraceRank& rank) {
  const auto count = static_cast<double>(rank.steps.size());
  for (const TraceStep& step : rank.steps) {
    rank.step_s += step.s / count;
    for (std::size_t i = 0; i < kTraceParts.size(); ++i) {
      if (step.parts[i]) rank.parts[i] = rank.parts[i].value_or(0) + *step.parts[i] / count;
    }
  }
}

void fill(TraceRank& rank, const Claims& claims, std::span<const Interval> communication, const TraceSteps& steps) {
  rank.step_source = steps.source;
  rank.marked_on_gpu = steps.marked_on_gpu;
  rank.steps_left_out = steps.left_out;
  rank.steps = share(claims, steps.windows);
  rank.communication_s = mean_s(communication, steps.windows);
  set_means(rank);
}

TraceRank counted(const DeviceTimeline& device, std::int64_t number) {
  return {.rank = number,
          .device = device.device,
          .kernels = device.kernels,
          .recognised_kernels = device.recognised_kernels,
          .kernel_s = device.kernel_ns * kNs_s,
          .recognised_kernel_s = device.recognised_kernel_ns * kNs_s,
          .collectives = device.collectives,
          .named_collectives = device.named_collectives};
}

TraceRank rank_of_device(Timeline& timeline, DeviceTimeline& device, std::int64_t number, bool truncated) {
  TraceRank rank = counted(device, number);
  device.communication.add_all(timeline.cpu_communication);
  Claims claims{{TracePart::compute, device.compute.merged()},
                {TracePart::communication, device.communication.merged()},
                {TracePart::copy, device.copy.merged()}};
  const Interval activity = extent(claims);
  claims.push_back({TracePart::input, timeline.input.merged()});
  claims.push_back({TracePart::launch, timeline.launches.merged()});
  TraceSteps steps = find_steps(timeline.marks, &device.marks, activity);
  if (truncated) leave_out_cut(steps, activity);
  fill(rank, claims, device.communication.merged(), steps);
  return rank;
}

// A loader without workers runs operators itself, and that is no compute of the step; nor is an operator that waits for
// a collective.
TraceRank rank_of_process(Timeline& timeline, std::int64_t number, bool truncated) {
  TraceRank rank{.rank = number, .device = std::nullopt};
  const Claims claims{{TracePart::input, timeline.input.merged()},
                      {TracePart::communication, timeline.collective_calls.merged()},
                      {TracePart::compute, timeline.cpu_ops.merged()},
                      {TracePart::communication, timeline.cpu_communication.merged()}};
  const Interval activity = extent(claims);
  TraceSteps steps = find_steps(timeline.marks, nullptr, activity);
  if (truncated) leave_out_cut(steps, activity);
  IntervalSet communication = timeline.cpu_communication;
  communication.add_all(timeline.collective_calls);
  fill(rank, claims, communication.merged(), steps);
  return rank;
}

}  // namespace

std::vector<TraceRank> ranks_of(Timeline& timeline, std::int64_t number, bool truncated) {
  std::vector<TraceRank> ranks;
  std::ranges::sort(timeline.devices, {}, &DeviceTimeline::device);
  const bool on_gpu = std::ranges::any_of(timeline.devices, [](const auto& device) { return device.kernels > 0; });
  if (!on_gpu) {
    ranks.push_back(rank_of_process(timeline, number, truncated));
  } else {
    // CPU operators tell launches as well as the runtime's calls do, which a trace need not hold.
    timeline.launches.add_all(timeline.cpu_ops);
    timeline.launches.add_all(timeline.collective_calls);
    for (DeviceTimeline& device : timeline.devices) {
      if (device.kernels > 0) ranks.push_back(rank_of_device(timeline, device, number, truncated));
    }
  }
  std::erase_if(ranks, [](const TraceRank& rank) { return rank.steps.empty(); });
  return ranks;
}

}  // namespace stash
