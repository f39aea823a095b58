#pragma once

#include <string>

#include "stash/report/report.h"

namespace stash {

inline constexpr std::size_t kTraceFileBytes = 20'000'000;  // at most, whatever the profile holds

// Trace events as Chrome and Perfetto read them: a process for each condition, threads for what each rank's host and
// device did and for its collectives; all windows start at 0. `otherData` says what was left out. Error for a profile
// without traces.
std::string render_trace(const Report& report);

}  // namespace stash
