#pragma once

#include <optional>
#include <string>

#include "stash/cli/serve_bench_files.h"
#include "stash/core/format.h"
#include "stash/report/report.h"
#include "stash/serve/bench/serve_bench.h"

namespace stash {

// UsageError for a format that the ledger of a request does not have.
std::string render_serve_bench(const ServeBench& bench, Format format, std::optional<double> usd_per_hour,
                               const ReportOptions& options);
// The same of a file.
std::string render_serve_bench_file(const std::string& file, Format format, std::optional<double> usd_per_hour,
                                    const ReportOptions& options);

// Writes how two files differ and returns the exit code of `stash diff`. UsageError: they are of two servers.
int compare_serve_benches(const ServeBenchFiles& files, Format format, const std::string& out);

}  // namespace stash
