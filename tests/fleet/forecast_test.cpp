#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "stash/core/error.h"
#include "stash/fleet/forecast/load_forecaster.h"
#include "stash/fleet/forecast/load_history.h"
#include "stash/fleet/forecast/watched_forecast.h"
#include "support/message_of.h"

namespace stash {
namespace {

constexpr std::size_t kDay = 1440;

// 1,000 requests per minute, give or take 3 %; four times as many from 5 to 10 minutes after every full hour.
std::vector<LoadMinute> hourly_bursts(std::size_t minutes) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(1, 0.03);
  std::vector<LoadMinute> load(minutes);
  for (std::size_t i = 0; i < minutes; ++i) {
    const bool is_burst = i % 60 >= 5 && i % 60 < 10;
    load[i].requests = (is_burst ? 4000 : 1000) * noise(random);
  }
  return load;
}

double pinball_of(std::string_view name, const std::vector<LoadMinute>& load, std::size_t from) {
  const auto forecaster = make_forecaster(name, 0);
  double loss = 0;
  for (std::size_t now = 0; now + 10 < load.size(); ++now) {
    forecaster->see(std::span(load).first(now + 1));
    if (now < from) continue;
    const double over = load[now + 10].requests - forecaster->quantile(10, 0.95);
    loss += std::max(0.95 * over, -0.05 * over);
  }
  return loss;
}

TEST(Forecast, WhatRepeatsEveryHourIsSeenComing) {
  const auto load = hourly_bursts(2 * kDay);
  const auto forecaster = make_forecaster("similar", 0);
  const std::size_t now = kDay + 58;  // 7 minutes before a burst
  forecaster->see(std::span(load).first(now + 1));
  EXPECT_NEAR(forecaster->quantile(3, 0.5), 1000, 100);
  EXPECT_NEAR(forecaster->quantile(8, 0.5), 4000, 400);
  EXPECT_NEAR(forecaster->quantile(15, 0.95), 1050, 100);
}

TEST(Forecast, TheDefaultBeatsTheLastValueTimesOnePointTwo) {
  const auto load = hourly_bursts(3 * kDay);
  const double base = pinball_of("last-value", load, 2 * kDay);
  EXPECT_LT(pinball_of("best", load, 2 * kDay), 0.5 * base);
  EXPECT_LT(pinball_of("similar", load, 2 * kDay), 0.5 * base);
  EXPECT_LT(pinball_of("autoregressive", load, 2 * kDay), 0.8 * base);
}

TEST(Forecast, EveryForecasterTakesHolesEmptyMinutesAndAbsurdOnes) {
  for (const std::string_view name : kForecasters) {
    const auto forecaster = make_forecaster(name, 700);
    EXPECT_EQ(forecaster->quantile(10, 0.95), 0) << name;
    auto load = hourly_bursts(kDay + 200);
    for (std::size_t i = 300; i < 330; ++i) load[i] = {.requests = 0, .hole = true};
    for (std::size_t i = 500; i < 520; ++i) load[i].requests = 0;
    load[600].requests = 4e9;
    forecaster->see(load);
    for (const double probability : {0.05, 0.5, 0.99}) {
      const double found = forecaster->quantile(10, probability);
      EXPECT_TRUE(found >= 0 && found < 1e10) << name << " " << found;
    }
  }
}

TEST(Forecast, QuantilesRise) {
  const auto load = hourly_bursts(2 * kDay);
  for (const std::string_view name : {"best", "similar", "autoregressive", "seasonal"}) {
    const auto forecaster = make_forecaster(name, 0);
    forecaster->see(load);
    EXPECT_LE(forecaster->quantile(10, 0.5), forecaster->quantile(10, 0.9)) << name;
    EXPECT_LE(forecaster->quantile(10, 0.9), forecaster->quantile(10, 0.99)) << name;
  }
}

TEST(Forecast, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_NE(message_of<UsageError>([] { make_forecaster("seasonl", 0); }).find("'seasonal'"), std::string::npos);
}

TEST(LoadHistory, ABurstDoesNotMoveTheLevelAndAPartOfAMinuteIsLeftOut) {
  LoadHistory history(0);
  std::vector<LoadMinute> load(100, {.requests = 1000});
  load[98].requests = 8000;
  load[99].requests = 3;
  history.see(load);
  EXPECT_DOUBLE_EQ(history.level(99), 1000);
  EXPECT_TRUE(history.is_recorded(98));
  EXPECT_FALSE(history.is_recorded(99));
  load.resize(130, {.requests = 3});  // it lasts: the traffic is gone
  history.see(load);
  EXPECT_TRUE(history.is_recorded(129));
}

TEST(WatchedForecast, AnUnusualDayGetsHeadRoomAndAUsualOneNone) {
  auto load = hourly_bursts(2 * kDay + 400);
  WatchedForecast usual(make_forecaster("similar", 0));
  usual.see(load);
  EXPECT_FALSE(usual.is_unusual());
  // From one minute to the next a load without any pattern, up to three times the level.
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> factor(1, 3);
  for (std::size_t i = 2 * kDay; i < load.size(); ++i) load[i].requests = 1000 + 4000 * (factor(random) - 1);
  WatchedForecast unusual(make_forecaster("seasonal", 0));
  bool was_unusual = false;
  for (std::size_t i = 2 * kDay; i < load.size(); i += 10) {
    unusual.see(std::span(load).first(i));
    was_unusual = was_unusual || unusual.is_unusual();
  }
  EXPECT_TRUE(was_unusual);
}

TEST(ChangeSpread, LearnsHowTheLoadMovesAndFadesWithinADay) {
  ChangeSpread calm, wild;
  EXPECT_EQ(calm.least_quantile(0.95), 0);
  for (int i = 0; i < 100; ++i) {
    calm.see({.requests = 1000});
    wild.see({.requests = i % 10 < 5 ? 500.0 : 2000.0});
  }
  EXPECT_EQ(calm.least_quantile(0.5), 0);
  EXPECT_NEAR(calm.least_quantile(0.95), 1200, 50);
  EXPECT_GT(wild.least_quantile(0.95), 3000);
  for (int i = 0; i < 1400; ++i) calm.see({.requests = 1000});
  EXPECT_EQ(calm.least_quantile(0.95), 0);
}

TEST(WatchedForecast, TheFirstMinuteIsTakenWithRoom) {
  WatchedForecast first(make_forecaster("best", 0));
  const std::vector<LoadMinute> load(1, {.requests = 1000});
  first.see(load);
  EXPECT_NEAR(first.quantile(3, 0.95), 1640, 10);
  EXPECT_NEAR(first.quantile(3, 0.5), 1000, 10);
}

}  // namespace
}  // namespace stash
