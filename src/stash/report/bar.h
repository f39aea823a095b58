#pragma once

#include <string>

#include "stash/core/ledger.h"
#include "stash/report/report.h"

namespace stash {

// The step as a bar, a line of letters below it, and the key of the letters; empty for a step of 0.
std::string render_bar(const Ledger& ledger, const ReportOptions& options);

}  // namespace stash
