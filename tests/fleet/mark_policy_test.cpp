#include "stash/fleet/policy/mark_policy.h"

#include <gtest/gtest.h>

#include <vector>

#include "fleet/small_market.h"

namespace stash {
namespace {

// A large one for $1 and a small one for $0.30 per 1000 s, at 1000 and 200 requests per minute.
const std::vector<MarkMachine> kTwo{{1000, 1e-3}, {200, 3e-4}};

TEST(MarkPlan, ALongLoadGoesToWhatIsCheapestPerRequest) {
  EXPECT_EQ(mark_plan(kTwo, std::vector<double>(50, 2100), std::vector<int>{0, 0}), (std::vector<int>{2, 1}));
}

TEST(MarkPlan, AShortLoadCountsTheLaunch) {
  // One minute of 400: large (60 + 180) * 1e-3 / 400 = 6.0e-4 per request, small (60 + 180) * 3e-4 / 200 = 3.6e-4.
  std::vector<double> load(50, 0.0);
  load[2] = 400;
  EXPECT_EQ(mark_plan(kTwo, load, std::vector<int>{0, 0}), (std::vector<int>{0, 2}));
  // A large one that runs needs no launch: 60 * 1e-3 / 400 = 1.5e-4.
  EXPECT_EQ(mark_plan(kTwo, load, std::vector<int>{1, 0}), (std::vector<int>{1, 0}));
}

TEST(MarkPlan, OnlyTheNextSixMinutesAskForMachines) {
  std::vector<double> load(50, 0.0);
  load[6] = 5000;
  EXPECT_EQ(mark_plan(kTwo, load, std::vector<int>{0, 0}), (std::vector<int>{0, 0}));
}

TEST(MarkBatch, WaitAndTimeFitIntoTheObjective) {
  const Market market = small_market();
  // 2 T(b) <= 40 ms: T(17) = 20 ms; 17 per 20 ms are 51,000 per minute.
  EXPECT_NEAR(mark_per_min(market.machines[0], 0.0401), 51'000, 1);
  EXPECT_NEAR(mark_per_min(market.machines[1], 0.2), 1200, 1);
  EXPECT_EQ(mark_per_min(market.machines[1], 0.04), 0);
}

}  // namespace
}  // namespace stash
