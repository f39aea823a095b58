#include "stash/fleet/replay/replay_comparison.h"

#include <algorithm>
#include <cmath>

#include "stash/core/statistics.h"

namespace stash {

SeedMean PolicyReplay::over_seeds(const std::function<double(const ReplayResult&)>& value) const {
  std::vector<double> values;
  for (const ReplayResult& run : runs) values.push_back(value(run));
  if (values.empty()) return {};
  SeedMean found{.mean = mean(values)};
  if (values.size() < 2) return found;
  const auto count = static_cast<double>(values.size());
  const double half =
      student_t_quantile_975(static_cast<int>(values.size()) - 1) * std::sqrt(sample_variance(values) / count);
  found.low = found.mean - half;
  found.high = found.mean + half;
  return found;
}

double PolicyReplay::usd() const {
  return over_seeds([](const ReplayResult& run) { return run.totals.usd; }).mean;
}

double PolicyReplay::missed_ratio() const {
  return over_seeds([](const ReplayResult& run) { return run.totals.missed_ratio(); }).mean;
}

const PolicyReplay* ReplayComparison::find(std::string_view name) const {
  const auto found = std::ranges::find(policies, name, &PolicyReplay::name);
  return found == policies.end() || found->runs.empty() ? nullptr : &*found;
}

const PolicyReplay* ReplayComparison::cheapest_that_meets() const {
  const PolicyReplay* best = nullptr;
  for (const PolicyReplay& one : policies) {
    if (one.runs.empty() || one.name == "oracle" || !meets(one)) continue;
    if (best == nullptr || one.usd() < best->usd()) best = &one;
  }
  return best;
}

}  // namespace stash
