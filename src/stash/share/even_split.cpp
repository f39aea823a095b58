#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stash/core/error.h"
#include "stash/share/allocate.h"
#include "stash/share/storage_shares.h"

namespace stash {

void check_fit(std::span<const SupplyCurve> curves, const Resources& resources) {
  if (curves.empty()) throw UsageError("there is no job to share cores among");
  if (curves.size() > kMostSharedJobs) {
    throw UsageError(
        fmt::format("{} jobs are more than one machine shares; at most {}", curves.size(), kMostSharedJobs));
  }
  if (resources.cores < 1 || resources.cores > kMostSharedCores) {
    throw UsageError(fmt::format("--cores {} is out of range: it takes 1 to {}", resources.cores, kMostSharedCores));
  }
  std::int64_t least = 0;
  for (const SupplyCurve& curve : curves) {
    check(curve);
    least += std::int64_t{curve.min_workers} * curve.ranks;
  }
  if (least > resources.cores) {
    throw UsageError(
        fmt::format("{} jobs need at least {} workers (a rank cannot do without one), and --cores is {}: give more "
                    "cores, lower a job's min_workers, or run fewer jobs at a time",
                    curves.size(), least, resources.cores));
  }
}

// Whole workers on each rank; what one job cannot use goes to the others, the first of them first.
Allocation even_split(std::span<const SupplyCurve> curves, const Resources& resources) {
  check_fit(curves, resources);
  Allocation even;
  int left = resources.cores;
  for (const SupplyCurve& curve : curves) {
    even.jobs.push_back({curve.min_workers, kAllStorage});
    left -= curve.min_workers * curve.ranks;
  }
  // One more worker per rank at a time for the job that has the fewest.
  for (;;) {
    std::size_t next = curves.size();
    for (std::size_t j = 0; j < curves.size(); ++j) {
      if (even.jobs[j].workers >= curves[j].max_workers() || curves[j].ranks > left) continue;
      const auto has = [&](std::size_t i) { return even.jobs[i].workers * curves[i].ranks; };
      if (next == curves.size() || has(j) < has(next)) next = j;
    }
    if (next == curves.size()) break;
    ++even.jobs[next].workers;
    left -= curves[next].ranks;
  }
  even.idle_cores = left;
  share_storage(curves, resources, even);
  return even;
}

std::vector<Rate> rates_of(std::span<const SupplyCurve> curves, const Allocation& allocation) {
  std::vector<Rate> rates;
  for (std::size_t j = 0; j < curves.size(); ++j) {
    rates.push_back(rate_of(curves[j], allocation.jobs[j].workers, allocation.jobs[j].storage_bytes_per_s));
  }
  return rates;
}

double mean_ratio(std::span<const Rate> rates, std::span<const Rate> base) {
  double sum = 0;
  for (std::size_t j = 0; j < rates.size(); ++j) sum += rates[j].per_s / base[j].per_s;
  return sum / static_cast<double>(rates.size());
}

std::vector<double> work_left(std::span<const SupplyCurve> curves) {
  double sum_s = 0;
  int told = 0;
  for (const SupplyCurve& curve : curves) {
    if (!curve.samples_left) continue;
    sum_s += *curve.samples_left / curve.ceiling.per_s;
    ++told;
  }
  const double usual_s = told > 0 ? sum_s / told : 1;
  std::vector<double> left;
  for (const SupplyCurve& curve : curves) {
    left.push_back(std::max(curve.samples_left.value_or(usual_s * curve.ceiling.per_s), 1e-9));
  }
  return left;
}

double objective_value(std::span<const SupplyCurve> curves, std::span<const Rate> rates, std::span<const Rate> even,
                       Objective objective) {
  if (objective == Objective::throughput) return mean_ratio(rates, even);
  double smallest = kAllStorage;
  const std::vector<double> left = work_left(curves);
  for (std::size_t j = 0; j < curves.size(); ++j) {
    const double base = objective == Objective::fairness ? curves[j].ceiling.per_s : left[j];
    smallest = std::min(smallest, rates[j].per_s / base);
  }
  return smallest;
}

}  // namespace stash
