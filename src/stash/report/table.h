#pragma once

#include <string>

#include "stash/core/ledger.h"
#include "stash/report/report.h"

namespace stash {

// Part, milliseconds and share of a step, interval, dollars; absent parts with the reason.
std::string render_table(const Report& report, const ReportOptions& options);

// A time in milliseconds with the digits that suit the step.
std::string milliseconds(double s, const Ledger& ledger);

}  // namespace stash
