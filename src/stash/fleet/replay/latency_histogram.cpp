#include "stash/fleet/replay/latency_histogram.h"

#include <algorithm>
#include <numeric>

namespace stash {

void LatencyHistogram::add(const LatencyHistogram& other) {
  for (std::size_t i = 0; i < kClasses; ++i) counts_[i] += other.counts_[i];
}

std::uint64_t LatencyHistogram::count() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

double LatencyHistogram::quantile(double ratio) const {
  const double wanted = ratio * static_cast<double>(count());
  double below = 0;
  std::size_t i = 0;
  while (i + 1 < kClasses && below + static_cast<double>(counts_[i]) < wanted)
    below += static_cast<double>(counts_[i++]);
  const auto bound = [](std::size_t at) { return std::bit_cast<double>((kFirst + at) << kShift); };
  const double inside = counts_[i] > 0 ? (wanted - below) / static_cast<double>(counts_[i]) : 0;
  return bound(i) + std::clamp(inside, 0.0, 1.0) * (bound(i + 1) - bound(i));
}

}  // namespace stash
