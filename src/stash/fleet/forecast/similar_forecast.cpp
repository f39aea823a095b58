#include "stash/fleet/forecast/similar_forecast.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "stash/fleet/forecast/load_history.h"

namespace stash {
namespace {

constexpr std::size_t kMostHours = 14 * 24;
constexpr double kRatioWidth = 0.15;          // of the logarithm of load over level
constexpr double kEarlierRatioWidth = 0.225;  // of the minute before
constexpr double kDayTime_min = 120;
constexpr double kOtherTimes = 0.05;    // weight of any time of day
constexpr double kBesideMinutes = 0.3;  // weight of the minute before and after
constexpr double kNegligible = 1e-3;    // of the largest weight
constexpr double kLastValueRoom = 1.2;
constexpr double kFewMoments = 4;  // below that the last value has a say

class SimilarForecast final : public LoadForecaster {
 public:
  explicit SimilarForecast(double begin_min) : history_(begin_min) {}

  std::string_view name() const override { return "similar"; }

  void see(std::span<const LoadMinute> minutes) override {
    if (minutes.size() == history_.size()) return;
    history_.see(minutes);
    by_ahead_.clear();
    weigh();
  }

  double quantile(int ahead_min, double probability) const override {
    if (history_.size() == 0) return 0;
    const std::size_t now = history_.size() - 1;
    const auto& values = values_at(static_cast<std::size_t>(std::max(1, ahead_min)));
    const double last = history_.load(now) * (probability > 0.5 ? kLastValueRoom : 1);
    if (values.empty()) return last;
    const double found = history_.level(now) * weighted_quantile(values, probability);
    const auto count = static_cast<double>(values.size());
    return count >= kFewMoments ? found : (count * found + (kFewMoments - count) * last) / kFewMoments;
  }

 private:
  using Moment = std::pair<std::size_t, double>;  // minute, weight

  void weigh() {
    moments_.clear();
    const std::size_t now = history_.size() - 1;
    double most = 0;
    for (std::size_t hours = 1; hours <= kMostHours && 60 * hours <= now; ++hours) {
      const std::size_t same = now - 60 * hours;
      for (std::size_t moment = same > 0 ? same - 1 : 0; moment <= same + 1; ++moment) {
        if (!history_.is_recorded(moment)) continue;
        const double weight = (moment == same ? 1 : kBesideMinutes) * likeness(moment, now);
        moments_.emplace_back(moment, weight);
        most = std::max(most, weight);
      }
    }
    std::erase_if(moments_, [most](const Moment& one) { return one.second < kNegligible * most; });
  }

  double likeness(std::size_t moment, std::size_t now) const {
    const auto apart = std::abs(history_.minute_of_day(moment) - history_.minute_of_day(now));
    const double day_time = std::exp(-std::min(apart, 1440 - apart) / kDayTime_min);
    const double ratio = (history_.log_ratio(moment) - history_.log_ratio(now)) / kRatioWidth;
    const double earlier =
        moment > 0 && now > 0 ? (history_.log_ratio(moment - 1) - history_.log_ratio(now - 1)) / kEarlierRatioWidth : 0;
    return (kOtherTimes + day_time) * std::exp(-ratio * ratio - earlier * earlier) + 1e-9;
  }

  const std::vector<std::pair<double, double>>& values_at(std::size_t ahead) const {
    const auto [at, is_new] = by_ahead_.try_emplace(ahead);
    auto& values = at->second;
    if (!is_new) return values;
    for (const auto& [moment, weight] : moments_) {
      const std::size_t later = moment + ahead;
      if (later >= history_.size() || !history_.is_recorded(later)) continue;
      values.emplace_back(history_.load(later) / history_.level(moment), weight);
    }
    std::ranges::sort(values);
    return values;
  }

  LoadHistory history_;
  std::vector<Moment> moments_;
  mutable std::map<std::size_t, std::vector<std::pair<double, double>>> by_ahead_;
};

}  // namespace

std::unique_ptr<LoadForecaster> make_similar_forecast(double begin_min) {
  return std::make_unique<SimilarForecast>(begin_min);
}

}  // namespace stash
