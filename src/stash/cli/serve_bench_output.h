#pragma once

#include <optional>
#include <string>

#include "stash/core/format.h"
#include "stash/report/report.h"
#include "stash/serve/bench/serve_bench.h"

namespace stash {

// UsageError for a format that the ledger of a request does not have.
std::string render_serve_bench(const ServeBench& bench, Format format, std::optional<double> usd_per_hour,
                               const ReportOptions& options);

}  // namespace stash
