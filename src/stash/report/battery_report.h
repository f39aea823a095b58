#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stash/battery/summary.h"
#include "stash/report/report.h"

namespace stash {

// The state of a case for people: one that cannot run is told from one that failed.
std::string_view words_of(CaseState state);
std::string figure_amount(double value, std::string_view unit);  // "1.2 GB/s", "840 samples/s", "1.80 ms"

// One line: the largest stall of the battery, the case that stalls most and the one that stalls least.
std::string battery_verdict(const BatterySummary& summary);

// The page for people: verdict, the cases as a table, the study's percentages, what was not measured and why, the
// machine's figures.
std::string render_battery_text(const BatterySummary& summary, const ReportOptions& options);

// One JSON object; docs/cli/characterize.md describes it.
std::string render_battery_json(const BatterySummary& summary);

// A row for each case; unknown is empty.
std::string render_battery_csv(const BatterySummary& summary);

}  // namespace stash
