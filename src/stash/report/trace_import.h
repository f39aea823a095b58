#pragma once

#include <string>
#include <string_view>

#include "stash/core/format.h"
#include "stash/import/trace_report.h"
#include "stash/report/report.h"

namespace stash {

// Verdict, a row for each rank, coverage, what a trace cannot tell, warnings; or all of it as JSON, or a row for each
// step as CSV. Names from the trace come out without control characters. docs/cli/import.md describes it.
std::string render_import(const TraceReport& report, Format format, const ReportOptions& options);

}  // namespace stash
