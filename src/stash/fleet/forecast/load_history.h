#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stash/fleet/policy/fleet_policy.h"

namespace stash {

// The minutes so far as forecasters use them: each in proportion to its level, the median of the last 90 recorded ones,
// which bursts hardly move.
class LoadHistory {
 public:
  explicit LoadHistory(double begin_min) : begin_min_(static_cast<int>(begin_min)) {}

  void see(std::span<const LoadMinute> minutes);  // what came since

  std::size_t size() const { return load_.size(); }
  bool is_recorded(std::size_t i) const { return recorded_[i]; }
  double load(std::size_t i) const { return load_[i]; }  // of an unrecorded minute: the last that was
  double level(std::size_t i) const { return level_[i]; }
  double log_ratio(std::size_t i) const { return log_ratio_[i]; }  // of load over level
  int minute_of_day(std::size_t i) const { return static_cast<int>((static_cast<std::size_t>(begin_min_) + i) % 1440); }

 private:
  void append(const LoadMinute& minute);
  bool counts(const LoadMinute& minute);

  int begin_min_;
  std::vector<double> load_, level_, log_ratio_;
  std::vector<bool> recorded_;
  std::vector<double> window_, sorted_;  // the last recorded ones, in order and by size
  int low_minutes_ = 0;
};

// The smallest of `values` (sorted) that holds `probability` of the weights.
double weighted_quantile(std::span<const std::pair<double, double>> sorted, double probability);

}  // namespace stash
