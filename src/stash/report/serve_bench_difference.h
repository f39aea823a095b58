#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/report/report.h"
#include "stash/serve/bench/serve_bench.h"

namespace stash {

// A part of a request before and after, or the whole latency.
struct BenchChange {
  std::string name;
  std::optional<double> before_s{}, after_s{};
  std::optional<double> change_s{}, low_s{}, high_s{};  // 95 % interval; nullopt: absent on a side, or not known
  // The interval leaves out 0.
  bool is_real() const { return low_s && high_s && (*low_s > 0 || *high_s < 0); }
};

struct BenchDifference {
  std::vector<std::string> mismatches;  // why these are not two runs of one thing; empty: they are
  std::vector<BenchChange> parts;
  BenchChange latency;
};
BenchDifference compare_benches(const ServeBench& before, const ServeBench& after);

// What became slower by more than `ratio` of the latency before, beyond doubt.
std::vector<std::string> bench_increases_over(const BenchDifference& difference, double ratio);

std::string bench_difference_text(const BenchDifference& difference, const ReportOptions& options);
std::string bench_difference_json(const BenchDifference& difference);
std::string bench_difference_csv(const BenchDifference& difference);  // part,before_s,after_s,change_s,low_s,high_s

}  // namespace stash
