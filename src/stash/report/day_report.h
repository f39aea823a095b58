#pragma once

#include <span>
#include <string>

#include "stash/report/report.h"
#include "stash/share/day.h"

namespace stash {

// What simulated days say of the policies beside an even split.
struct DayReport {
  int days = 1;
  int jobs = 0;  // of each
  DayMachine machine;
  std::string made_of;  // where the jobs come from
  std::vector<PolicySummary> policies;
};

std::string day_verdict(const DayReport& report);
std::string render_days_text(const DayReport& report, const ReportOptions& options);
std::string render_days_json(const DayReport& report);

}  // namespace stash
