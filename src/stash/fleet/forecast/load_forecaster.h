#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "stash/fleet/policy/fleet_policy.h"

namespace stash {

// Quantiles of the requests of a coming minute.
class LoadForecaster {
 public:
  virtual ~LoadForecaster() = default;
  virtual std::string_view name() const = 0;
  // All minutes that are over, oldest first: those seen before, and what came since.
  virtual void see(std::span<const LoadMinute> minutes) = 0;
  // Of the minute that is `ahead_min` after the last one seen (1: the next). Before anything was seen: 0.
  virtual double quantile(int ahead_min, double probability) const = 0;
};

// The default first.
inline constexpr std::array<std::string_view, 6> kForecasters{"best",     "similar", "autoregressive",
                                                              "seasonal", "lstm",    "last-value"};
// UsageError names the nearest. `begin_min`: minute of the day at which the first minute begins.
std::unique_ptr<LoadForecaster> make_forecaster(std::string_view name, double begin_min);

}  // namespace stash
