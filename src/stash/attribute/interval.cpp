#include "stash/attribute/interval.h"

#include <cmath>

#include "stash/core/statistics.h"

namespace stash {

Estimate interval(double s, const std::vector<double>& values, double edge_s) {
  const int count = static_cast<int>(values.size());
  const double chance_s = student_t_quantile_975(count - 1) * std::sqrt(sample_variance(values) / count);
  const double half_s = std::hypot(chance_s, edge_s);
  return {s, s - half_s, s + half_s};
}

}  // namespace stash
