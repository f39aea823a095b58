#include "error_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stash::bench {

void ErrorTable::add(const std::string& group, double predicted, double measured) {
  errors_[group].push_back(std::abs(predicted / measured - 1));
}

double ErrorTable::mean(const std::string& group) const {
  const std::vector<double>& errors = errors_.at(group);
  return std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
}

double ErrorTable::quantile(const std::string& group, double share) const {
  std::vector<double> errors = errors_.at(group);
  std::ranges::sort(errors);
  const double at = share * static_cast<double>(errors.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, errors.size() - 1);
  return errors[low] + (at - std::floor(at)) * (errors[high] - errors[low]);
}

}  // namespace stash::bench
