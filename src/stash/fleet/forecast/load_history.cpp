#include "stash/fleet/forecast/load_history.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stash {
namespace {

constexpr std::size_t kLevelMinutes = 90;
// A minute with less than a twentieth of its level is one that was recorded in part, unless it lasts.
constexpr double kPartialRatio = 0.05;
constexpr int kMostPartialMinutes = 10;
constexpr double kLeastLoad = 0.5;  // so that an empty minute has a logarithm

}  // namespace

void LoadHistory::see(std::span<const LoadMinute> minutes) {
  for (std::size_t i = size(); i < minutes.size(); ++i) append(minutes[i]);
}

bool LoadHistory::counts(const LoadMinute& minute) {
  if (minute.hole) return false;
  const bool is_low = !level_.empty() && minute.requests < kPartialRatio * level_.back();
  low_minutes_ = is_low ? low_minutes_ + 1 : 0;
  return !is_low || low_minutes_ > kMostPartialMinutes;
}

void LoadHistory::append(const LoadMinute& minute) {
  const bool recorded = counts(minute);
  const double load = recorded ? std::max(minute.requests, kLeastLoad) : load_.empty() ? kLeastLoad : load_.back();
  if (recorded) {
    if (window_.size() == kLevelMinutes) {
      sorted_.erase(std::ranges::lower_bound(sorted_, window_.front()));
      window_.erase(window_.begin());
    }
    window_.push_back(load);
    sorted_.insert(std::ranges::upper_bound(sorted_, load), load);
  }
  load_.push_back(load);
  level_.push_back(sorted_.empty() ? load : sorted_[sorted_.size() / 2]);
  log_ratio_.push_back(std::log(load / level_.back()));
  recorded_.push_back(recorded);
}

double weighted_quantile(std::span<const std::pair<double, double>> sorted, double probability) {
  double all = 0;
  for (const auto& [value, weight] : sorted) all += weight;
  double below = 0;
  for (const auto& [value, weight] : sorted) {
    below += weight;
    if (below >= probability * all) return value;
  }
  return sorted.empty() ? 0 : sorted.back().first;
}

}  // namespace stash
