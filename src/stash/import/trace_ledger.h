#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/import/event_reader.h"
#include "stash/import/steps.h"

namespace stash {

// What a trace can tell of a step. Each moment is given to the first of these that it belongs to; docs/cli/import.md.
enum class TracePart { compute, communication, copy, input, launch, unexplained };
inline constexpr std::array kTraceParts{TracePart::compute, TracePart::communication, TracePart::copy,
                                        TracePart::input,   TracePart::launch,        TracePart::unexplained};
std::string_view to_string(TracePart part);

// Seconds by part; nullopt: the trace has nothing to tell it by.
using TraceParts = std::array<std::optional<double>, kTraceParts.size()>;
inline std::optional<double>& at(TraceParts& parts, TracePart part) { return parts[static_cast<std::size_t>(part)]; }
inline const std::optional<double>& at(const TraceParts& parts, TracePart part) {
  return parts[static_cast<std::size_t>(part)];
}

struct TraceStep {
  double s = 0;
  TraceParts parts = {};  // the present ones sum to `s`
};

// One GPU of one trace, or its process where there is none.
struct TraceRank {
  std::int64_t rank = 0;
  std::optional<std::int64_t> device;  // nullopt: only CPU activity was recorded
  StepSource step_source = StepSource::whole;
  bool marked_on_gpu = false;
  std::vector<TraceStep> steps = {};
  std::size_t steps_left_out = 0;  // the file ends before their last kernel
  double step_s = 0;               // mean of the steps
  TraceParts parts = {};           // means; they sum to step_s
  double communication_s = 0;      // of a step, hidden or not
  std::uint64_t kernels = 0, recognised_kernels = 0;
  double kernel_s = 0, recognised_kernel_s = 0;  // sums over the trace; kernels may overlap
  std::uint64_t collectives = 0, named_collectives = 0;

  double explained_ratio() const;  // share of the step that is not `unexplained`
};

// One file.
struct ImportedTrace {
  std::filesystem::path path;
  TraceRead read;
  std::uint64_t unusable_events = 0;  // of a kind that counts, left out
  std::uint64_t unknown_events = 0;   // of a category that is not known, left out
  std::vector<std::string> unknown_categories = {};
  bool rank_known = false;            // from the file
  std::vector<TraceRank> ranks = {};  // one for each GPU
  std::vector<std::string> unrecognised_names = {};
};

// Error when the file cannot be opened or holds no events. A trace that does not say its rank has 0.
ImportedTrace import_trace(const std::filesystem::path& path);

}  // namespace stash
