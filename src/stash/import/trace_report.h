#pragma once

#include <span>

#include "stash/import/trace_ledger.h"

namespace stash {

// The rank that the others wait for: it works longer than they do before it communicates.
struct LateTraceRank {
  std::int64_t rank = 0;
  double s = 0;  // behind the median of the others, per step
};

// Several traces of one job.
struct TraceReport {
  std::vector<ImportedTrace> traces;
  double step_s = 0;           // means over all ranks
  TraceParts parts;            // sum to step_s; nullopt: absent on every rank
  double communication_s = 0;  // hidden or not
  double explained_ratio = 0;
  std::uint64_t kernels = 0, recognised_kernels = 0;
  double kernel_s = 0, recognised_kernel_s = 0;  // sums over all ranks
  std::optional<std::int64_t> world_size;        // as the traces say
  std::optional<LateTraceRank> late_rank;
  std::vector<std::string> warnings;
};

// Ranks in order; a folder stands for the traces in it. Error when a file cannot be used.
TraceReport import_traces(std::span<const std::filesystem::path> paths);

// What could be better about these traces, a sentence each.
std::vector<std::string> trace_warnings(std::span<const ImportedTrace> traces);

}  // namespace stash
