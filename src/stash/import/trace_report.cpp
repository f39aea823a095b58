#include "stash/import/trace_report.h"

#include <algorithm>
#include <set>

#include "stash/import/trace_files.h"

namespace stash {
namespace {

// A rank is late when it costs the others more than this of a step; less is what profiling itself adds.
constexpr double kLate_ratio = 0.05;

std::vector<const TraceRank*> all_ranks(const std::vector<ImportedTrace>& traces) {
  std::vector<const TraceRank*> ranks;
  for (const ImportedTrace& trace : traces) {
    for (const TraceRank& rank : trace.ranks) ranks.push_back(&rank);
  }
  return ranks;
}

void set_means(TraceReport& report, const std::vector<const TraceRank*>& ranks) {
  const auto count = static_cast<double>(ranks.size());
  for (const TraceRank* rank : ranks) {
    report.step_s += rank->step_s / count;
    report.communication_s += rank->communication_s / count;
    report.kernels += rank->kernels;
    report.recognised_kernels += rank->recognised_kernels;
    report.kernel_s += rank->kernel_s;
    report.recognised_kernel_s += rank->recognised_kernel_s;
    for (std::size_t i = 0; i < kTraceParts.size(); ++i) {
      if (rank->parts[i]) report.parts[i] = report.parts[i].value_or(0) + *rank->parts[i] / count;
    }
  }
  const double unexplained_s = at(report.parts, TracePart::unexplained).value_or(0);
  report.explained_ratio = report.step_s > 0 ? 1 - unexplained_s / report.step_s : 0;
}

// What a rank does before it can wait for others.
double own_work_s(const TraceRank& rank) { return rank.step_s - at(rank.parts, TracePart::communication).value_or(0); }

std::optional<LateTraceRank> find_late(std::vector<const TraceRank*> ranks) {
  const bool communicate = std::ranges::all_of(ranks, [](const TraceRank* rank) { return rank->communication_s > 0; });
  if (ranks.size() < 2 || !communicate) return std::nullopt;
  std::ranges::sort(ranks, {}, [](const TraceRank* rank) { return own_work_s(*rank); });
  const TraceRank* const last = ranks.back();
  ranks.pop_back();
  const double behind_s = own_work_s(*last) - own_work_s(*ranks[ranks.size() / 2]);
  if (behind_s < kLate_ratio * last->step_s) return std::nullopt;
  return LateTraceRank{last->rank, behind_s};
}

// Traces that do not say their rank get the numbers that are free, in the order given.
void number_ranks(std::vector<ImportedTrace>& traces) {
  std::set<std::int64_t> taken;
  for (const ImportedTrace& trace : traces) {
    if (trace.rank_known) taken.insert(trace.ranks.front().rank);
  }
  std::int64_t free = 0;
  for (ImportedTrace& trace : traces) {
    if (trace.rank_known) continue;
    while (taken.contains(free)) ++free;
    for (TraceRank& rank : trace.ranks) rank.rank = free;
    taken.insert(free);
  }
}

}  // namespace

TraceReport import_traces(std::span<const std::filesystem::path> paths) {
  TraceReport report;
  for (const std::filesystem::path& path : find_traces(paths)) {
    report.traces.push_back(import_trace(path));
    report.world_size = std::max(report.world_size, report.traces.back().read.world_size);
  }
  number_ranks(report.traces);
  std::ranges::stable_sort(report.traces, {}, [](const ImportedTrace& trace) { return trace.ranks.front().rank; });
  const std::vector<const TraceRank*> ranks = all_ranks(report.traces);
  set_means(report, ranks);
  report.late_rank = find_late(ranks);
  report.warnings = trace_warnings(report.traces);
  return report;
}

}  // namespace stash
