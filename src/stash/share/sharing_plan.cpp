#include "stash/share/sharing_plan.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "stash/core/statistics.h"

namespace stash {
namespace {

constexpr int kDraws = 400;  // of the curves, for the gain's interval

// A curve as it may be too: all its points by as much of their intervals.
SupplyCurve drawn(SupplyCurve curve, double deviations) {
  const double share = deviations / kNormalQuantile975;
  const auto move = [&](Rate& rate) {
    const double width = share < 0 ? rate.per_s - rate.low_per_s : rate.high_per_s - rate.per_s;
    rate.per_s = std::max(rate.per_s + share * width, rate.per_s * 1e-3);
  };
  for (Rate& rate : curve.by_workers) move(rate);
  return curve;
}

void add_interval(SharingPlan& plan, std::span<const SupplyCurve> curves, const Allocation& found,
                  const Allocation& even) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> probability(1e-6, 1 - 1e-6);
  std::vector<double> gains;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<SupplyCurve> others;
    for (const SupplyCurve& curve : curves) others.push_back(drawn(curve, normal_quantile(probability(random))));
    gains.push_back(mean_ratio(rates_of(others, found), rates_of(others, even)) - 1);
  }
  std::ranges::sort(gains);
  plan.gain_low_ratio = std::min(gains[kDraws / 40], plan.gain_ratio);
  plan.gain_high_ratio = std::max(gains[kDraws - 1 - kDraws / 40], plan.gain_ratio);
}

}  // namespace

SharingPlan plan_sharing(std::span<const SupplyCurve> curves, const Resources& resources, Objective objective) {
  const Allocation found = allocate(curves, resources, objective);
  const Allocation even = even_split(curves, resources);
  const std::vector<Rate> rates = rates_of(curves, found), even_rates = rates_of(curves, even);
  SharingPlan plan{.objective = objective, .resources = resources, .jobs = {}, .assumptions = {}};
  for (std::size_t j = 0; j < curves.size(); ++j) {
    const SupplyCurve& curve = curves[j];
    plan.jobs.push_back({.name = curve.name,
                         .ranks = curve.ranks,
                         .workers = found.jobs[j].workers * curve.ranks,
                         .even_workers = even.jobs[j].workers * curve.ranks,
                         .throughput = rates[j],
                         .even_throughput = even_rates[j],
                         .ceiling = curve.ceiling});
    plan.assumptions.insert(plan.assumptions.end(), curve.assumptions.begin(), curve.assumptions.end());
  }
  plan.gain_ratio = mean_ratio(rates, even_rates) - 1;
  plan.idle_cores = found.idle_cores;
  add_interval(plan, curves, found, even);
  return plan;
}

}  // namespace stash
