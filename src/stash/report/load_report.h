#pragma once

#include <optional>
#include <string>

#include "stash/serve/load/load_result.h"

namespace stash {

// A load as it was sent, and what came of it.
struct LoadReport {
  std::string target;
  std::string arrivals;  // "400 per second, poisson", "trace day7.csv"
  std::optional<double> objective_s{};
  LoadSummary summary;
  std::string why_rejected;  // empty: the figures are the server's
  bool interrupted = false;
};

// Verdict first, then the latencies with their intervals.
std::string load_text(const LoadReport& report);
std::string load_json(const LoadReport& report);
std::string load_csv(const LoadReport& report);  // figure,s,low_s,high_s

}  // namespace stash
