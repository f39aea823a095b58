#include "stash/fleet/market/capacity.h"

#include <gtest/gtest.h>

#include "fleet/small_market.h"
#include "stash/core/error.h"
#include "stash/fleet/market/rated_type.h"
#include "stash/serve/predict/simulate_serving.h"
#include "support/message_of.h"

namespace stash {
namespace {

ServedModel served(const MachineType& type) {
  return {.name = "small", .platform = {}, .input = {}, .output = {}, .times = type.times};
}

// What the server's own scheduler meets at this rate.
double simulated_ratio(const MachineType& type, const FleetObjective& objective, double rate_per_s) {
  ServedModel model = served(type);
  model.input.type = model.output.type = find_tensor_type("FP32");
  ServeSettings settings;
  settings.objective_s = objective.latency_s;
  return *simulate_serving(model, settings, {.rate_per_s = rate_per_s, .duration_s = 20000 / rate_per_s})
              .within_objective_ratio;
}

TEST(Capacity, TheServersOwnSchedulerMeetsTheObjectiveALittleBelowAndNotALittleAbove) {
  const FleetObjective objective{.latency_s = 0.2, .meet_ratio = 0.98};
  for (const MachineType& type : small_market().machines) {
    const auto capacity = capacity_of(type, objective);
    ASSERT_TRUE(capacity);
    EXPECT_GT(simulated_ratio(type, objective, 0.92 * capacity->per_s), 0.975) << type.name;
    EXPECT_LT(simulated_ratio(type, objective, 1.08 * capacity->per_s), 0.98) << type.name;
  }
}

TEST(Capacity, ASingleServerWithoutBatchesLosesWhatTheTextbookSays) {
  // One at a time, 50 ms each, and 60 ms allowed: who waits more than 10 ms is refused. Little is possible.
  MachineType type = small_market().machines[1];
  const auto tight = capacity_of(type, {0.06, 0.98});
  const auto wide = capacity_of(type, {1.0, 0.98});
  ASSERT_TRUE(tight && wide);
  EXPECT_LT(tight->per_s, 0.1 * 20);
  EXPECT_GT(wide->per_s, 0.9 * 20);
  EXPECT_LT(wide->per_s, 1.05 * 20);
}

TEST(Capacity, TheIntervalFollowsTheSpreadOfTheTimes) {
  MachineType type = small_market().machines[0];
  type.times_spread_ratio = 0.25;
  const auto capacity = capacity_of(type, {0.2, 0.98});
  ASSERT_TRUE(capacity);
  EXPECT_NEAR(capacity->low_per_s / capacity->per_s, 0.8, 0.05);
  EXPECT_NEAR(capacity->high_per_s / capacity->per_s, 1.25, 0.05);
}

TEST(Capacity, DevicesAddUp) {
  MachineType type = small_market().machines[0];
  const double one = capacity_of(type, {0.2, 0.98})->per_s;
  type.devices = 4;
  EXPECT_DOUBLE_EQ(capacity_of(type, {0.2, 0.98})->per_s, 4 * one);
}

TEST(Capacity, NoneWhereNotEvenOneIsInTime) { EXPECT_FALSE(capacity_of(small_market().machines[1], {0.049, 0.98})); }

TEST(RatedTypes, AnObjectiveThatNoMachineCanMeetNamesTheNearestOneThatCanBeMet) {
  const Market market = small_market();
  const std::string said = message_of<UsageError>([&] { rated_types(market, {0.003, 0.98}); });
  EXPECT_NE(said.find("3.00 ms cannot be met"), std::string::npos) << said;
  const double nearest_s = nearest_objective_s(market, {0.003, 0.98});
  EXPECT_GT(nearest_s, 0.004);
  EXPECT_LT(nearest_s, 0.02);
  EXPECT_EQ(rated_types(market, {nearest_s, 0.98}).size(), 1U);
}

}  // namespace
}  // namespace stash
