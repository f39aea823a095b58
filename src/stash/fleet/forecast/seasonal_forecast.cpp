#include "stash/fleet/forecast/seasonal_forecast.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "stash/fleet/forecast/load_history.h"

namespace stash {
namespace {

constexpr std::size_t kDay_min = 1440;
constexpr std::size_t kMostDays = 14;
constexpr std::size_t kNeighbours = 3;  // minutes on either side
constexpr double kNoSeasonRoom = 1.2;   // over the last value, on the first day

class SeasonalForecast final : public LoadForecaster {
 public:
  explicit SeasonalForecast(double begin_min) : history_(begin_min) {}

  std::string_view name() const override { return "seasonal"; }
  void see(std::span<const LoadMinute> minutes) override { history_.see(minutes); }

  double quantile(int ahead_min, double probability) const override {
    if (history_.size() == 0) return 0;
    const std::size_t now = history_.size() - 1;
    const std::size_t target = now + static_cast<std::size_t>(std::max(1, ahead_min));
    std::vector<std::pair<double, double>> values;
    for (std::size_t days = 1; days <= kMostDays && days * kDay_min <= now; ++days) {
      const std::size_t same = target - days * kDay_min;
      const std::size_t then = now - days * kDay_min;
      for (std::size_t i = same > kNeighbours ? same - kNeighbours : 0; i <= same + kNeighbours; ++i) {
        if (i > now || !history_.is_recorded(i)) continue;
        values.emplace_back(history_.load(i) / history_.level(then), 1);
      }
    }
    if (values.empty()) return history_.load(now) * (probability > 0.5 ? kNoSeasonRoom : 1);
    std::ranges::sort(values);
    return history_.level(now) * weighted_quantile(values, probability);
  }

 private:
  LoadHistory history_;
};

}  // namespace

std::unique_ptr<LoadForecaster> make_seasonal_forecast(double begin_min) {
  return std::make_unique<SeasonalForecast>(begin_min);
}

}  // namespace stash
