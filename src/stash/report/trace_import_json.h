#pragma once

#include <string>

#include "stash/import/trace_report.h"

namespace stash {

// One JSON object, ASCII; docs/cli/import.md describes it.
std::string import_json(const TraceReport& report, const std::string& verdict);

}  // namespace stash
