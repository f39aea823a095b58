#pragma once

#include <memory>

#include "stash/fleet/forecast/change_spread.h"
#include "stash/fleet/forecast/load_forecaster.h"

namespace stash {

// A forecast that is compared with what came: where far more of the last two hours exceeded its 95 % quantiles (10
// minutes ahead) than should, the day is unusual, and upper quantiles are raised by as much as those minutes exceeded
// them. With less than a day seen they are at least what the changes so far say.
class WatchedForecast final : public LoadForecaster {
 public:
  explicit WatchedForecast(std::unique_ptr<LoadForecaster> inner) : inner_(std::move(inner)) {}

  std::string_view name() const override { return inner_->name(); }
  void see(std::span<const LoadMinute> minutes) override;
  double quantile(int ahead_min, double probability) const override;

  bool is_unusual() const { return head_room_ > 1; }
  double head_room_ratio() const { return head_room_; }

 private:
  void compare(const LoadMinute& minute);

  std::unique_ptr<LoadForecaster> inner_;
  ChangeSpread spread_;
  std::size_t seen_ = 0;
  std::vector<double> coming_;  // quantiles of the next minutes, the nearest first
  std::vector<double> ratios_;  // of what came over its quantile, the last ones
  double head_room_ = 1;
};

}  // namespace stash
