#include "stash/share/pool/worker_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stash {
namespace {

// What is likely before a job was seen with several numbers of workers: that they disturb each other little. One job in
// ten is held back by something that they share.
constexpr double kUsualBend = 0.03, kUsualBendDeviation = 0.07;
constexpr double kOtherShare = 0.1;
constexpr double kLeastBend = -0.05, kMostBend = 1.2;
constexpr int kBends = 126;          // that are tried
constexpr double kEnoughStep = 1.1;  // between the numbers of workers that are tried as enough
// As likely as the likeliest, in the logarithm: then the middle one is taken.
constexpr double kAsLikely = 0.5;
constexpr double kShapeDeviation = 0.05;   // by which shapes are off
constexpr double kLeastDeviation = 0.004;  // no window tells more

struct Fit {
  double log_one_s = 0;
  double log_likelihood = 0;
};

Fit fit_of(const CostShape& shape, std::span<const CostPoint> seen) {
  double weights = 0, sum = 0, squares = 0;
  for (const CostPoint& point : seen) {
    const double weight = 1 / (std::pow(point.deviation_ratio, 2) + std::pow(kLeastDeviation, 2));
    const double y = std::log(point.sample_s) - shape.log_ratio(point.workers);
    weights += weight;
    sum += weight * y;
    squares += weight * y * y;
  }
  return {sum / weights, -0.5 * (squares - sum * sum / weights)};
}

double log_prior(double bend) {
  constexpr double kRootOfTwoPi = 2.5066282746310002;
  const double off = (bend - kUsualBend) / kUsualBendDeviation;
  const double usual = std::exp(-0.5 * off * off) / (kUsualBendDeviation * kRootOfTwoPi);
  return std::log((1 - kOtherShare) * usual + kOtherShare / (kMostBend - kLeastBend));
}

struct Likeliest {
  CostShape shape;
  double log_likelihood = -std::numeric_limits<double>::infinity();
};

Likeliest likeliest_power(std::span<const CostPoint> seen) {
  Likeliest best;
  for (int i = 0; i < kBends; ++i) {
    const CostShape shape{.bend = kLeastBend + (kMostBend - kLeastBend) * i / (kBends - 1), .enough = 0};
    const double likelihood = fit_of(shape, seen).log_likelihood + log_prior(shape.bend);
    if (likelihood > best.log_likelihood) best = {shape, likelihood};
  }
  return best;
}

// Below the fewest workers that were seen each is as likely.
Likeliest likeliest_limit(std::span<const CostPoint> seen) {
  const auto most = std::ranges::max_element(seen, {}, &CostPoint::workers)->workers;
  std::vector<Likeliest> tried;
  double best = -std::numeric_limits<double>::infinity();
  for (double enough = 1; enough < most; enough *= kEnoughStep) {
    const CostShape shape{.bend = 0, .enough = enough};
    tried.push_back({shape, fit_of(shape, seen).log_likelihood + std::log(kOtherShare)});
    best = std::max(best, tried.back().log_likelihood);
  }
  std::erase_if(tried, [&](const Likeliest& one) { return one.log_likelihood < best - kAsLikely; });
  return tried.empty() ? Likeliest{} : tried[tried.size() / 2];
}

}  // namespace

double CostShape::log_ratio(double workers) const {
  return enough > 0 ? std::log(std::max(workers / enough, 1.0)) : bend * std::log(workers);
}

WorkerCost::WorkerCost(std::span<const CostPoint> seen) {
  const Likeliest power = likeliest_power(seen), limit = likeliest_limit(seen);
  shape_ = seen.size() > 1 && limit.log_likelihood > power.log_likelihood ? limit.shape : power.shape;
  log_one_s_ = fit_of(shape_, seen).log_one_s;
  for (const CostPoint& point : seen) {
    const double trust = 1 / (1 + std::pow(point.deviation_ratio / kShapeDeviation, 2));
    const double off = std::log(point.sample_s) - log_one_s_ - shape_.log_ratio(point.workers);
    seen_.push_back({point.workers, trust * off});
  }
  std::ranges::sort(seen_, {}, &Residual::workers);
}

double WorkerCost::sample_s(int workers) const {
  const auto after = std::ranges::find_if(seen_, [&](const Residual& one) { return one.workers >= workers; });
  double off = 0;
  if (after == seen_.end()) {
    off = seen_.back().log_ratio;
  } else if (after == seen_.begin()) {
    off = after->log_ratio;
  } else {
    const Residual& before = *(after - 1);
    const double way = std::log(static_cast<double>(workers) / before.workers) /
                       std::log(static_cast<double>(after->workers) / before.workers);
    off = before.log_ratio + way * (after->log_ratio - before.log_ratio);
  }
  return std::exp(log_one_s_ + shape_.log_ratio(workers) + off);
}

}  // namespace stash
