#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/report/report.h"
#include "stash/serve/bench/serve_bench.h"

namespace stash {

// One line: how long a request takes, and what most of that is.
std::string bench_verdict(const ServeBench& bench);
// What to do first about it; empty: nothing stands out.
std::string bench_advice(const ServeBench& bench);

// "batch wait" for `batch_wait`.
std::string part_label(RequestPart part);
// What a million answered requests cost at the measured rate; nullopt: nothing was answered.
std::optional<double> usd_per_million(const ServeBench& bench, double usd_per_hour);
// The lines under the verdict.
std::vector<std::string> bench_lines(const ServeBench& bench, std::optional<double> usd_per_hour);

std::string serve_bench_text(const ServeBench& bench, std::optional<double> usd_per_hour, const ReportOptions& options);
std::string serve_bench_json(const ServeBench& bench, std::optional<double> usd_per_hour);
std::string serve_bench_csv(const ServeBench& bench);  // part,s,low_s,high_s,p50_s,p90_s,p99_s

}  // namespace stash
