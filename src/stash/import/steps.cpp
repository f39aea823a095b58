#include "stash/import/steps.h"

#include <algorithm>
#include <optional>

namespace stash {
namespace {

// One mark of each number: a GPU has one on every stream.
std::vector<StepMark> join_by_number(std::vector<StepMark> marks) {
  std::ranges::sort(marks, {}, &StepMark::number);
  std::vector<StepMark> joined;
  for (const StepMark& mark : marks) {
    if (joined.empty() || joined.back().number != mark.number) {
      joined.push_back(mark);
      continue;
    }
    Interval& time = joined.back().time;
    time = {std::min(time.start_ns, mark.time.start_ns), std::max(time.end_ns, mark.time.end_ns)};
  }
  std::ranges::sort(joined, {}, [](const StepMark& mark) { return mark.time.start_ns; });
  return joined;
}

// Marks that overlap are one: the same call on several streams.
std::vector<StepMark> join_by_time(std::vector<StepMark> marks) {
  std::ranges::sort(marks, {}, [](const StepMark& mark) { return mark.time.start_ns; });
  std::vector<StepMark> joined;
  for (const StepMark& mark : marks) {
    if (joined.empty() || mark.time.start_ns > joined.back().time.end_ns) {
      joined.push_back(mark);
    } else {
      joined.back().time.end_ns = std::max(joined.back().time.end_ns, mark.time.end_ns);
    }
  }
  return joined;
}

// From the end of one mark to the end of the next: the wait for its batch belongs to a step.
std::vector<Interval> between_ends(const std::vector<StepMark>& marks, std::int64_t start_ns) {
  std::vector<Interval> windows;
  for (const StepMark& mark : marks) {
    if (mark.time.end_ns > start_ns) windows.push_back({start_ns, mark.time.end_ns});
    start_ns = std::max(start_ns, mark.time.end_ns);
  }
  return windows;
}

std::vector<Interval> as_marked(const std::vector<StepMark>& marks) {
  std::vector<Interval> windows;
  for (const StepMark& mark : marks) {
    const std::int64_t start_ns =
        windows.empty() ? mark.time.start_ns : std::max(mark.time.start_ns, windows.back().end_ns);
    if (mark.time.end_ns > start_ns) windows.push_back({start_ns, mark.time.end_ns});
  }
  return windows;
}

std::int64_t start_on_cpu(const std::vector<StepMark>& cpu, const StepMark& first) {
  const auto same = std::ranges::find(cpu, first.number, &StepMark::number);
  return same == cpu.end() ? first.time.start_ns : std::min(first.time.start_ns, same->time.start_ns);
}

// Work that the last marked step left to the GPU is that step's.
void stretch_to(std::vector<Interval>& windows, std::int64_t end_ns) {
  if (!windows.empty()) windows.back().end_ns = std::max(windows.back().end_ns, end_ns);
}

}  // namespace

std::string_view to_string(StepSource source) {
  return source == StepSource::profiler ? "profiler" : source == StepSource::optimizer ? "optimizer" : "whole";
}

TraceSteps find_steps(const StepMarks& cpu, const StepMarks* gpu, Interval activity) {
  TraceSteps steps;
  if (gpu != nullptr && !gpu->profiler.empty()) {
    const std::vector<StepMark> marks = join_by_number(gpu->profiler);
    steps = {StepSource::profiler, between_ends(marks, start_on_cpu(cpu.profiler, marks.front())), true};
  } else if (!cpu.profiler.empty()) {
    steps = {StepSource::profiler, as_marked(join_by_number(cpu.profiler)), false};
    if (gpu != nullptr) stretch_to(steps.windows, activity.end_ns);
  } else if (gpu != nullptr && !gpu->optimizer.empty()) {
    steps = {StepSource::optimizer, between_ends(join_by_time(gpu->optimizer), activity.start_ns), true};
  } else if (!cpu.optimizer.empty()) {
    steps = {StepSource::optimizer, between_ends(join_by_time(cpu.optimizer), activity.start_ns), false};
    if (gpu != nullptr) stretch_to(steps.windows, activity.end_ns);
  }
  if (steps.windows.empty() && activity.end_ns > activity.start_ns) steps = {StepSource::whole, {activity}, false};
  return steps;
}

void leave_out_cut(TraceSteps& steps, Interval activity) {
  if (activity.end_ns <= activity.start_ns) return steps.windows.clear();
  const auto cut = std::ranges::find_if(steps.windows, [&](const Interval& w) { return w.end_ns > activity.end_ns; });
  if (cut == steps.windows.end()) return;
  if (cut == steps.windows.begin()) {
    steps.left_out = steps.windows.size() - 1;
    const std::int64_t start_ns = cut->start_ns < activity.end_ns ? cut->start_ns : activity.start_ns;
    steps.windows = {{start_ns, activity.end_ns}};
    return;
  }
  steps.left_out = static_cast<std::size_t>(steps.windows.end() - cut);
  steps.windows.erase(cut, steps.windows.end());
}

}  // namespace stash
