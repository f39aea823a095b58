#pragma once

#include <string>
#include <string_view>

#include "stash/report/report.h"
#include "stash/study/summary.h"

namespace stash {

// A battery's summary as text, json, csv or html; UsageError for another format.
std::string render_battery(const BatterySummary& summary, std::string_view format, const ReportOptions& options);

}  // namespace stash
