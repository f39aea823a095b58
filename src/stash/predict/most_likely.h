#pragma once

#include <functional>
#include <span>
#include <vector>

namespace stash {

// A time that was measured, and what it is estimated to be with each unknown factor at a value.
struct MeasuredTime {
  double s = 0;
  std::function<double(std::span<const double> factors)> estimate_s;
};

// An unknown factor: its most likely value, and the spread of its logarithm (one standard deviation).
struct LikelyFactor {
  double value = 1;
  double log_spread = 0;
};

// The most likely factors, each known beforehand to be 1 within its spread. As many measured times as factors that they
// depend on come out exactly; what no time depends on stays as it was.
std::vector<LikelyFactor> most_likely(std::span<const double> log_spreads, std::span<const MeasuredTime> times);

}  // namespace stash
