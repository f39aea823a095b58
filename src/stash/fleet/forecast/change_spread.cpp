#include "stash/fleet/forecast/change_spread.h"

#include <cmath>
#include <numeric>

#include "stash/core/statistics.h"

namespace stash {
namespace {

constexpr std::size_t kBefore_min = 5;      // whose mean a minute is compared with
constexpr std::size_t kLearned_min = 1440;  // after which forecasts know the traffic
constexpr double kAssumedDeviation = 0.3;   // of the logarithm: 95 % within a factor of 1.8
constexpr double kAssumedWeight_min = 20;   // the assumption counts as this many minutes

double mean_of(const std::deque<double>& loads) {
  return std::accumulate(loads.begin(), loads.end(), 0.0) / static_cast<double>(loads.size());
}

}  // namespace

void ChangeSpread::see(const LoadMinute& minute) {
  if (minute.hole) return;
  ++recorded_;
  if (!last_.empty()) {
    const double change = std::log((minute.requests + 1) / (mean_of(last_) + 1));
    squares_ += change * change;
  }
  last_.push_back(minute.requests);
  if (last_.size() > kBefore_min) last_.pop_front();
}

double ChangeSpread::least_quantile(double probability) const {
  if (recorded_ == 0 || recorded_ >= kLearned_min || probability <= 0.5) return 0;
  const double assumed = kAssumedWeight_min * kAssumedDeviation * kAssumedDeviation;
  const double deviation = std::sqrt((assumed + squares_) / (kAssumedWeight_min + static_cast<double>(recorded_ - 1)));
  const double left = 1 - static_cast<double>(recorded_) / static_cast<double>(kLearned_min);
  return mean_of(last_) * std::exp(left * deviation * normal_quantile(probability));
}

}  // namespace stash
