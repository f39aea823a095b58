#include "stash/import/trace_ledger.h"

#include <fmt/format.h>

#include "stash/core/error.h"
#include "stash/import/trace_ranks.h"

namespace stash {
namespace {

constexpr std::array<std::string_view, kTraceParts.size()> kNames{"compute", "communication", "copy",
                                                                  "input",   "launch",        "unexplained"};

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
  ImportedTrace trace{.path = path,
                      .read = reader.read(),
                      .unusable_events = timeline.unusable,
                      .unknown_events = timeline.unknown,
                      .unknown_categories = timeline.unknown_categories};
  if (!trace.read.found_events) {
    throw Error(
        fmt::format("{} is no trace: it has no traceEvents; export one with torch.profiler's "
                    "export_chrome_trace",
                    path.string()));
  }
  trace.rank_known = trace.read.rank.has_value();
  trace.ranks = ranks_of(timeline, trace.read.rank.value_or(0), trace.read.truncated);
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
