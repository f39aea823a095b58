#include <algorithm>
#include <array>
#include <cmath>

#include "stash/fleet/forecast/watched_forecast.h"
#include "stash/fleet/policy/planning_policy.h"

namespace stash {
namespace {

struct QuantileWeight {
  double probability;
  double weight;
};
// A load that may come stands for a range of quantiles: finer at the upper end, where what is missing costs.
constexpr std::array kNearQuantiles{QuantileWeight{0.25, 0.5}, QuantileWeight{0.6, 0.2}, QuantileWeight{0.775, 0.15},
                                    QuantileWeight{0.9, 0.1}, QuantileWeight{0.975, 0.05}};
constexpr std::array kFarQuantiles{QuantileWeight{0.3, 0.6}, QuantileWeight{0.75, 0.3}, QuantileWeight{0.95, 0.1}};
constexpr int kNear_min = 8;

class ForecastOutlook final : public LoadOutlook {
 public:
  explicit ForecastOutlook(double begin_s) : forecast_(make_forecaster("best", begin_s / 60)) {}

  void see(const FleetView& view) override { forecast_.see(view.minutes); }
  bool is_unusual() const override { return forecast_.is_unusual(); }

  LoadBand band(double now_s, int ahead_min) const override {
    const auto at = [&](double probability) { return forecast_.quantile(ahead_min + 1, probability); };
    return {now_s + 60 * ahead_min, at(0.05), at(0.5), at(0.95)};
  }

  std::vector<PlanSlot::Load> loads(int begin_min, int minutes) const override {
    std::vector<PlanSlot::Load> found;
    const int ahead = begin_min + 1 + (minutes - 1) / 2;
    const auto add = [&](const auto& quantiles) {
      for (const auto& [probability, weight] : quantiles) {
        found.push_back({forecast_.quantile(ahead, probability), weight});
      }
    };
    begin_min < kNear_min ? add(kNearQuantiles) : add(kFarQuantiles);
    return found;
  }

 private:
  WatchedForecast forecast_;
};

class KnownOutlook final : public LoadOutlook {
 public:
  // In a hole nothing is decided: it holds what comes after it, so that machines are there for that.
  explicit KnownOutlook(std::vector<LoadMinute> future) : future_(std::move(future)) {
    for (LoadMinute& one : future_) one.requests = one.work.value_or(one.requests);
    for (std::size_t i = future_.size(); i-- > 1;) {
      if (future_[i - 1].hole) future_[i - 1].requests = future_[i].requests;
    }
  }

  void see(const FleetView& view) override { now_ = static_cast<std::size_t>(std::lround(view.now_s / 60)); }

  std::vector<PlanSlot::Load> loads(int begin_min, int minutes) const override {
    std::vector<PlanSlot::Load> found;
    for (int i = 0; i < minutes; ++i) {
      const std::size_t at = now_ + static_cast<std::size_t>(begin_min + i);
      found.push_back({at < future_.size() ? future_[at].requests : 0, 1.0 / minutes});
    }
    return found;
  }

  LoadBand band(double now_s, int ahead_min) const override {
    const double load = loads(ahead_min, 1).front().requests;
    return {now_s + 60 * ahead_min, load, load, load};
  }

 private:
  std::vector<LoadMinute> future_;
  std::size_t now_ = 0;
};

}  // namespace

std::unique_ptr<LoadOutlook> make_forecast_outlook(double begin_s) {
  return std::make_unique<ForecastOutlook>(begin_s);
}

std::unique_ptr<LoadOutlook> make_known_outlook(std::vector<LoadMinute> future) {
  return std::make_unique<KnownOutlook>(std::move(future));
}

}  // namespace stash
