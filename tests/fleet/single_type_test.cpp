#include "stash/fleet/policy/single_type.h"

#include <gtest/gtest.h>

#include <vector>

#include "fleet/small_market.h"
#include "stash/fleet/policy/fluid_replay.h"

namespace stash {
namespace {

class SingleType : public testing::Test {
 protected:
  SingleType() { rated.capacity.per_s = 10; }

  int decide(FleetPolicy& policy, double now_s, int have) {
    std::vector<TypeCount> counts(2);
    counts[0].ready = have;
    return policy.decide({now_s, minutes, counts}).wanted[0].machines;
  }

  Market market = small_market();
  RatedType rated;  // 600 requests per minute
  std::vector<LoadMinute> minutes;
};

TEST_F(SingleType, KubernetesGrowsAtOnceAndShrinksAfterFiveMinutes) {
  const auto policy = make_single_type(market, rated, kKubernetesRule);
  minutes = {{.requests = 840}};
  EXPECT_EQ(decide(*policy, 60, 1), 2);  // 840 / (0.7 * 600)
  minutes.push_back({.requests = 100});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(decide(*policy, 120 + 60 * i, 2), 2);
    minutes.push_back({.requests = 100});
  }
  minutes.push_back({.requests = 100});
  EXPECT_EQ(decide(*policy, 360, 2), 1);
}

TEST_F(SingleType, KubernetesIgnoresTenPercent) {
  const auto policy = make_single_type(market, rated, kKubernetesRule);
  minutes = {{.requests = 900}};
  EXPECT_EQ(decide(*policy, 60, 2), 2);  // 107 % of the target
}

TEST_F(SingleType, TheManagedServiceWaitsForThreeMinutesAndRestsForFive) {
  const auto policy = make_single_type(market, rated, kManagedRule);
  minutes = {{.requests = 1500}};
  EXPECT_EQ(decide(*policy, 60, 1), 1);
  minutes.resize(3, {.requests = 1500});
  EXPECT_EQ(decide(*policy, 180, 1), 5);  // 1500 / (0.5 * 600)
  minutes.resize(6, {.requests = 6000});
  EXPECT_EQ(decide(*policy, 360, 5), 5);  // it rests
  EXPECT_EQ(decide(*policy, 480, 5), 20);
  EXPECT_DOUBLE_EQ(policy->price_ratio(), market.machines[0].managed_price_ratio);
}

TEST_F(SingleType, AMinuteThatWasNotRecordedChangesNothing) {
  const auto policy = make_single_type(market, rated, kKubernetesRule);
  minutes = {{.requests = 5000}, {.hole = true}};
  EXPECT_EQ(decide(*policy, 120, 3), 3);
}

TEST_F(SingleType, PeakTakesTheBusiestFiveSeconds) {
  rated.usd_per_s = 1;
  const std::vector<LoadMinute> day{{.requests = 1000, .peak_5s = 100}, {.requests = 500, .peak_5s = 150}};
  const auto policy = make_peak(market, std::span(&rated, 1), day);
  EXPECT_EQ(decide(*policy, 0, 0), 3);  // 12 * 150 / 600
}

TEST_F(SingleType, TheBestInHindsightMeetsTheObjectiveAtTheLeastCost) {
  rated.usd_per_s = 0.9 / 3600;
  std::vector<LoadMinute> day;
  for (int i = 0; i < 600; ++i) day.push_back({.requests = i % 60 < 30 ? 1000.0 : 2000.0});
  const FleetObjective objective;
  const auto policy = make_best_single_type(market, std::span(&rated, 1), objective, kKubernetesRule, day);
  const FluidReplay found = fluid_replay(*policy, market, std::span(&rated, 1), day);
  EXPECT_LE(found.missed_ratio(), 0.02);
  EXPECT_LT(found.usd, fluid_replay(*make_single_type(market, rated, {.name = "x", .target_ratio = 0.15}), market,
                                    std::span(&rated, 1), day)
                           .usd);
}

}  // namespace
}  // namespace stash
