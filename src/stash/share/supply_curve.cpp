#include "stash/share/supply_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/core/error.h"

namespace stash {
namespace {

bool is_rate(const Rate& rate) {
  return std::isfinite(rate.per_s) && std::isfinite(rate.low_per_s) && std::isfinite(rate.high_per_s) &&
         rate.per_s > 0 && rate.low_per_s >= 0;
}

}  // namespace

Rate scaled(const Rate& rate, double ratio) {
  return {rate.per_s * ratio, rate.low_per_s * ratio, rate.high_per_s * ratio};
}

Rate rate_of(const SupplyCurve& curve, int workers, double storage_bytes_per_s) {
  const int held = std::clamp(workers, 1, curve.max_workers());
  const Rate& free = curve.by_workers[static_cast<std::size_t>(held - 1)];
  if (curve.storage_bytes_per_sample <= 0) return free;
  const double most_per_s = storage_bytes_per_s / curve.storage_bytes_per_sample;
  if (most_per_s >= free.per_s) return free;
  return scaled(free, most_per_s / free.per_s);
}

double storage_demand_bytes_per_s(const SupplyCurve& curve, int workers) {
  return rate_of(curve, workers).per_s * curve.storage_bytes_per_sample;
}

void check(const SupplyCurve& curve) {
  if (curve.by_workers.empty() || curve.ranks < 1 || curve.min_workers < 1) {
    throw Error(fmt::format("the curve of job '{}' has no worker counts", curve.name));
  }
  if (curve.min_workers > curve.max_workers()) {
    throw UsageError(fmt::format("job '{}' wants at least {} workers per rank and can use at most {}", curve.name,
                                 curve.min_workers, curve.max_workers()));
  }
  const bool rates = is_rate(curve.ceiling) && std::ranges::all_of(curve.by_workers, is_rate);
  const bool bytes = std::isfinite(curve.storage_bytes_per_sample) && curve.storage_bytes_per_sample >= 0;
  if (!rates || !bytes) {
    throw Error(fmt::format("the curve of job '{}' has a rate that is not a positive number", curve.name));
  }
}

}  // namespace stash
