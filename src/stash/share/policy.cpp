#include "stash/share/policy.h"

#include <algorithm>
#include <cmath>

#include "stash/share/storage_shares.h"

namespace stash {
namespace {

constexpr double kReachedRatio = 0.999;  // of the ceiling

int demand_of(const SupplyCurve& curve) {
  const double enough = curve.by_workers.back().per_s * kReachedRatio;
  for (int workers = curve.min_workers; workers < curve.max_workers(); ++workers) {
    if (rate_of(curve, workers).per_s >= enough) return workers;
  }
  return curve.max_workers();
}

double linear_rate(const SupplyCurve& curve, int workers) {
  return std::min(curve.by_workers.front().per_s * workers, curve.ceiling.per_s);
}

// Gives workers one by one to the job with the highest score; a job whose score is not above 0 gets none.
template <class Score>
Allocation one_by_one(std::span<const SupplyCurve> curves, const Resources& resources, const Score& score) {
  check_fit(curves, resources);
  Allocation given;
  int left = resources.cores;
  for (const SupplyCurve& curve : curves) {
    given.jobs.push_back({curve.min_workers, kAllStorage});
    left -= curve.min_workers * curve.ranks;
  }
  for (;;) {
    std::size_t best = curves.size();
    double most = 0;
    for (std::size_t j = 0; j < curves.size(); ++j) {
      if (given.jobs[j].workers >= curves[j].max_workers() || curves[j].ranks > left) continue;
      const double own = score(j, given.jobs[j].workers);
      if (own > most) {
        most = own;
        best = j;
      }
    }
    if (best == curves.size()) break;
    ++given.jobs[best].workers;
    left -= curves[best].ranks;
  }
  given.idle_cores = left;
  share_storage(curves, resources, given);
  return given;
}

// The job that is furthest below its proportional share comes next.
Allocation by_demand(std::span<const SupplyCurve> curves, const Resources& resources) {
  std::vector<int> demands;
  for (const SupplyCurve& curve : curves) demands.push_back(demand_of(curve));
  return one_by_one(curves, resources, [&](std::size_t j, int workers) {
    return workers >= demands[j] ? 0.0 : static_cast<double>(demands[j]) / workers;
  });
}

Allocation by_linear_prediction(std::span<const SupplyCurve> curves, const Resources& resources) {
  const Allocation even = even_split(curves, resources);
  return one_by_one(curves, resources, [&](std::size_t j, int workers) {
    const double base = linear_rate(curves[j], even.jobs[j].workers) * curves[j].ranks;
    return (linear_rate(curves[j], workers + 1) - linear_rate(curves[j], workers)) / base;
  });
}

}  // namespace

std::string_view to_string(Policy policy) {
  constexpr std::array<std::string_view, 4> kNames{"even", "demand", "a_dloader", "optimum"};
  return kNames[static_cast<std::size_t>(policy)];
}

Allocation allocate_by(Policy policy, std::span<const SupplyCurve> curves, const Resources& resources) {
  switch (policy) {
    case Policy::demand:
      return by_demand(curves, resources);
    case Policy::a_dloader:
      return by_linear_prediction(curves, resources);
    case Policy::optimum:
      return allocate(curves, resources, Objective::throughput);
    default:
      return even_split(curves, resources);
  }
}

}  // namespace stash
