#pragma once

#include <optional>
#include <string>

#include "stash/battery/summary.h"
#include "stash/core/format.h"
#include "stash/report/report.h"

namespace stash {

// A battery's summary in one of kPageFormats; UsageError for another format.
std::string render_battery(const BatterySummary& summary, Format format, const ReportOptions& options);
// The same of a folder of stash characterize.
std::string render_battery_folder(const std::string& folder, Format format, std::optional<double> usd_per_hour,
                                  const ReportOptions& options);

}  // namespace stash
