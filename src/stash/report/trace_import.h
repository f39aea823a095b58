#pragma once

#include <string>
#include <string_view>

#include "stash/models/listing.h"
#include "stash/report/report.h"
#include "stash/trace/trace_report.h"

namespace stash {

using ImportFormat = ListFormat;
ImportFormat parse_import_format(std::string_view name);  // UsageError names the nearest

// Verdict, a row for each rank, coverage, what a trace cannot tell, warnings; or all of it as JSON, or a row for each
// step as CSV. Names from the trace come out without control characters. docs/cli/import.md describes it.
std::string render_import(const TraceReport& report, ImportFormat format, const ReportOptions& options);

}  // namespace stash
