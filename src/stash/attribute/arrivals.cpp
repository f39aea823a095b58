#include "stash/attribute/arrivals.h"

#include <algorithm>

#include "stash/core/statistics.h"

namespace stash {

std::vector<double> behind_others_s(const std::vector<std::vector<double>>& arrivals_s, int steps) {
  const std::size_t ranks = arrivals_s.size();
  if (ranks < 2 || steps < 1) return {};
  const std::size_t count = arrivals_s.front().size();
  // A late rank is late to all that follows in the step, and the others wait for it once.
  const std::size_t in_step = std::max<std::size_t>(1, count / static_cast<std::size_t>(steps));
  std::vector<double> sums_s(ranks, 0);
  std::size_t visited = 0;
  for (std::size_t start = 0; start + in_step <= count; start += in_step, ++visited) {
    std::vector<double> largest_s(ranks, 0);
    for (std::size_t i = start; i < start + in_step; ++i) {
      std::vector<double> sorted(ranks);
      std::transform(arrivals_s.begin(), arrivals_s.end(), sorted.begin(), [&](const auto& rank) { return rank[i]; });
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const double own_s = arrivals_s[rank][i];
        const auto place = std::lower_bound(sorted.begin(), sorted.end(), own_s) - sorted.begin();
        largest_s[rank] = std::max(largest_s[rank], own_s - median_without(sorted, static_cast<std::size_t>(place)));
      }
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) sums_s[rank] += largest_s[rank];
  }
  if (visited == 0) return {};
  for (double& sum_s : sums_s) sum_s /= static_cast<double>(visited);
  return sums_s;
}

}  // namespace stash
