#include "stash/report/html/scale.h"

#include <algorithm>
#include <cmath>

namespace stash {

namespace {

constexpr double kLargest = 1e300;  // a file may hold any number; differences of these are still finite
constexpr double kSmallest = 1e-300;
constexpr double kNarrow = 1.7;  // decades; below them 2 and 5 are marked too

// 1, 2 or 5 times a power of ten.
double round_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double digit = rough / power;
  return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

}  // namespace

Scale Scale::linear(double low, double high) {
  low = std::clamp(low, -kLargest, kLargest);
  high = std::clamp(high, -kLargest, kLargest);
  if (high - low > std::max(std::abs(low), std::abs(high)) * 1e-9 && high - low > kSmallest) return {low, high, false};
  const double room = std::max(std::abs(low) * 0.1, 1e-12);
  return {low - room, high + room, false};
}

Scale Scale::logarithmic(double low, double high) {
  const double from = std::log10(std::clamp(low, kSmallest, kLargest));
  const double to = std::log10(std::clamp(high, kSmallest, kLargest));
  constexpr double kRoom = 0.04;  // of the range at either end, so that marks do not touch the edge
  const double room = std::max((to - from) * kRoom, to - from < 0.1 ? 0.3 : 0);
  return {from - room, to + room, true};
}

double Scale::percent(double value) const {
  const double place = is_log_ ? std::log10(std::max(value, kSmallest)) : value;
  const double share = (place - low_) / (high_ - low_) * 100;
  return std::isfinite(share) ? std::clamp(share, 0.0, 100.0) : 0;
}

std::vector<double> Scale::ticks(int count) const {
  if (is_log_) return decades(count);
  std::vector<double> ticks;
  const double step = round_step((high_ - low_) / count);
  if (!std::isfinite(step) || step <= 0) return {low_, high_};
  for (double k = std::ceil(low_ / step); k * step <= high_ + step * 1e-9 && ticks.size() < 50; ++k) {
    ticks.push_back(k == 0 ? 0 : k * step);  // never -0
  }
  return ticks;
}

std::vector<double> Scale::decades(int count) const {
  std::vector<double> ticks;
  const double step = std::max(1.0, std::ceil((high_ - low_) / count));
  const bool is_narrow = high_ - low_ < kNarrow;
  for (double power = std::floor(low_); power <= high_; power += step) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double place = power + std::log10(digit);
      if ((digit == 1 || is_narrow) && place >= low_ && place <= high_) ticks.push_back(std::pow(10, place));
    }
  }
  if (ticks.size() >= 2) return ticks;
  return {std::pow(10, low_ + (high_ - low_) * 0.1), std::pow(10, high_ - (high_ - low_) * 0.1)};
}

}  // namespace stash
