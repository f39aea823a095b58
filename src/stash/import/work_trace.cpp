#include "stash/import/work_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "stash/core/error.h"
#include "stash/import/event_reader.h"
#include "stash/import/operator_inputs.h"

namespace stash {
namespace {

constexpr std::string_view kRecordedStep = "ProfilerStep#";

class WorkTraceReader {
 public:
  void add(const TraceEvent& event) {
    if (event.phase != 'X' || !event.start_ns || !event.duration_ns || *event.duration_ns < 0) return;
    if (*event.duration_ns > Timeline::kLongest_ns) return;
    const Interval time{*event.start_ns, *event.start_ns + *event.duration_ns};
    if (event.category == "kernel" || event.category == "gpu_memset" || event.category == "gpu_memcpy") {
      return add_kernel(event, time);
    }
    if (event.category != "cpu_op" && event.category != "user_annotation") return;
    if (event.name.starts_with(kRecordedStep)) return trace.steps.push_back(time);
    if (!event.thread) return;
    note(event.name.size() + event.rest.size());
    trace.ops.push_back({.name = std::string(event.name),
                         .arguments = std::string(event.rest),
                         .thread = *event.thread,
                         .time = time,
                         .external = argument_number(event.rest, "External id"),
                         .sequence = argument_number(event.rest, "Sequence number")});
  }

  WorkTrace trace;

 private:
  void add_kernel(const TraceEvent& event, Interval time) {
    note(event.name.size());
    trace.kernels.push_back({std::string(event.name), time, argument_number(event.rest, "External id")});
  }

  void note(std::size_t bytes) {
    text_bytes_ += bytes;
    if (++events_ > WorkTrace::kMostEvents || text_bytes_ > WorkTrace::kMostText_bytes) {
      throw Error(fmt::format("its steps have more than {} operators: too many to sum up", events_ - 1));
    }
  }

  std::size_t events_ = 0;
  std::size_t text_bytes_ = 0;
};

}  // namespace

void nest(std::vector<TracedOp>& ops) {
  std::ranges::stable_sort(ops, [](const TracedOp& a, const TracedOp& b) {
    return std::tuple(a.thread, a.time.start_ns, -a.time.end_ns) <
           std::tuple(b.thread, b.time.start_ns, -b.time.end_ns);
  });
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto is_over = [&](std::size_t outer) {
      return ops[outer].thread != ops[i].thread || ops[outer].time.end_ns <= ops[i].time.start_ns;
    };
    while (!open.empty() && is_over(open.back())) {
      ops[open.back()].end = i;
      open.pop_back();
    }
    ops[i].parent = open.empty() ? i : open.back();
    open.push_back(i);
  }
  for (const std::size_t outer : open) ops[outer].end = ops.size();
}

WorkTrace read_work_trace(const std::filesystem::path& path) {
  const std::unique_ptr<ByteSource> bytes = open_bytes(path);
  EventReader events(*bytes);
  WorkTraceReader reader;
  TraceEvent event;
  while (events.next(event)) reader.add(event);
  WorkTrace trace = std::move(reader.trace);
  if (trace.steps.empty()) throw Error("no recorded step is in the trace");
  if (events.read().truncated) throw Error("the trace of the steps ends too early");
  std::ranges::sort(trace.steps, {}, &Interval::start_ns);
  nest(trace.ops);
  return trace;
}

}  // namespace stash
