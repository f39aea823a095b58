#include "stash/fleet/forecast/watched_forecast.h"

#include <algorithm>

namespace stash {
namespace {

constexpr int kWatchedAhead_min = 10;
constexpr double kWatchedProbability = 0.95;
constexpr std::size_t kWatched_min = 120;
// Six are expected of 120. Bursts come in runs, so that twice as many are nothing unusual; three times as many are.
constexpr std::size_t kUnusualMinutes = 18;
constexpr double kMostHeadRoom = 3;

}  // namespace

void WatchedForecast::see(std::span<const LoadMinute> minutes) {
  for (; seen_ < minutes.size(); ++seen_) {
    compare(minutes[seen_]);
    inner_->see(minutes.first(seen_ + 1));
    spread_.see(minutes[seen_]);
    coming_.push_back(inner_->quantile(kWatchedAhead_min, kWatchedProbability));
  }
}

void WatchedForecast::compare(const LoadMinute& minute) {
  if (coming_.size() < kWatchedAhead_min) return;
  const double forecast = coming_.front();
  coming_.erase(coming_.begin());
  if (minute.hole || !(forecast > 0)) return;
  if (ratios_.size() == kWatched_min) ratios_.erase(ratios_.begin());
  ratios_.push_back(minute.requests / forecast);
  std::vector<double> over;
  std::ranges::copy_if(ratios_, std::back_inserter(over), [](double ratio) { return ratio > 1; });
  head_room_ = 1;
  if (over.size() < kUnusualMinutes) return;
  std::ranges::sort(over);
  head_room_ = std::min(kMostHeadRoom, over[over.size() / 2]);
}

double WatchedForecast::quantile(int ahead_min, double probability) const {
  const double found = inner_->quantile(ahead_min, probability);
  return probability > 0.5 ? std::max(head_room_ * found, spread_.least_quantile(probability)) : found;
}

}  // namespace stash
