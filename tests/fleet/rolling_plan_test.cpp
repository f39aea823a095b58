#include "stash/fleet/policy/rolling_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stash {
namespace {

PlanSlot slot(int begin_min, int minutes, double requests) { return {begin_min, minutes, {{requests, 1.0}}}; }

TEST(RollingPlan, ALastingLoadOrdersWhatIsCheapestPerRequest) {
  const PlanQuestion question{.offers = {{.usd_per_min = 1, .per_min = 1000, .lead_min = 1},
                                         {.usd_per_min = 0.3, .per_min = 200, .lead_min = 1}},
                              .slots = {slot(0, 1, 0), slot(1, 60, 2150)},
                              .usd_per_overflow = 1};
  EXPECT_EQ(rolling_plan(question).wanted, (std::vector<int>{2, 1}));
}

TEST(RollingPlan, AShortBurstGoesToFunctionsWhereStartingCostsMore) {
  PlanQuestion question{.offers = {{.usd_per_min = 1, .per_min = 1000, .lead_min = 3}},
                        .slots = {slot(0, 3, 0), slot(3, 2, 1000), slot(5, 20, 0)},
                        .usd_per_overflow = 0.002};
  // A machine: 3 minutes of start and 2 of work, $5; functions: 2000 requests, $4.
  EXPECT_EQ(rolling_plan(question).wanted, std::vector<int>{0});
  question.usd_per_overflow = 0.003;
  EXPECT_EQ(rolling_plan(question).wanted, std::vector<int>{1});
}

TEST(RollingPlan, AnIdleMachineIsKeptOverAGapThatIsShorterThanAStart) {
  PlanQuestion question{.offers = {{.usd_per_min = 1, .per_min = 1000, .lead_min = 3, .have = 1}},
                        .slots = {slot(0, 2, 0), slot(2, 10, 1000)},
                        .usd_per_overflow = 1};
  EXPECT_EQ(rolling_plan(question).wanted, std::vector<int>{1});
  question.slots = {slot(0, 5, 0), slot(5, 10, 1000)};
  EXPECT_EQ(rolling_plan(question).wanted, std::vector<int>{0});
}

TEST(RollingPlan, AnUncertainLoadIsCoveredAsFarAsItPays) {
  // The second machine works in one of five cases: $1 a minute for 200 requests a minute that cost $0.002 or $0.01.
  PlanQuestion question{.offers = {{.usd_per_min = 1, .per_min = 1000, .lead_min = 0}},
                        .slots = {{0, 60, {{1000, 0.8}, {2000, 0.2}}}},
                        .usd_per_overflow = 0.002};
  EXPECT_EQ(rolling_plan(question).wanted, std::vector<int>{1});
  question.usd_per_overflow = 0.01;
  EXPECT_EQ(rolling_plan(question).wanted, std::vector<int>{2});
}

TEST(RollingPlan, AMachineThatMayNotBeStoppedYetIsKept) {
  const PlanQuestion question{.offers = {{.usd_per_min = 1, .per_min = 1000, .lead_min = 1, .have = 3, .kept = 2}},
                              .slots = {slot(0, 30, 0)},
                              .usd_per_overflow = 1};
  EXPECT_EQ(rolling_plan(question).wanted, std::vector<int>{2});
}

TEST(RollingPlan, SpotMachinesServeNoMoreThanMayDependOnThem) {
  PlanQuestion question{.offers = {{.usd_per_min = 1, .per_min = 1000, .lead_min = 0},
                                   {.usd_per_min = 0.3, .per_min = 1000, .lead_min = 0, .is_spot = true}},
                        .slots = {slot(0, 60, 10'000)},
                        .usd_per_overflow = 1};
  EXPECT_EQ(rolling_plan(question).wanted, (std::vector<int>{0, 10}));
  question.slots.front().most_by_spot = 7000;
  EXPECT_EQ(rolling_plan(question).wanted, (std::vector<int>{3, 7}));
  question.offers[1].have = 10;  // those that are left over from a burst make no difference
  EXPECT_EQ(rolling_plan(question).wanted, (std::vector<int>{3, 7}));
}

// Of every number of two machines, ordered now and kept until the end.
double brute_force(const PlanQuestion& question) {
  double least = 1e300;
  for (int a = 0; a <= 8; ++a) {
    for (int b = 0; b <= 40; ++b) {
      double usd = 0;
      const std::array<int, 2> count{a, b};
      for (const PlanSlot& one : question.slots) {
        double capacity = 0;
        for (std::size_t i = 0; i < 2; ++i) {
          usd += count[i] * question.offers[i].usd_per_min * one.minutes;
          capacity += count[i] * question.offers[i].per_min;
        }
        for (const auto& load : one.loads) {
          usd += one.minutes * load.weight * question.usd_per_overflow * std::max(0.0, load.requests - capacity);
        }
      }
      for (std::size_t i = 0; i < 2; ++i) {
        usd += count[i] * question.offers[i].usd_per_min * question.offers[i].lead_min;
      }
      least = std::min(least, usd);
    }
  }
  return least;
}

TEST(RollingPlan, CostsWhatBruteForceFinds) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 200; ++i) {
    const PlanQuestion question{
        .offers = {{.usd_per_min = 0.5 + uniform(random), .per_min = 800 + 400 * uniform(random), .lead_min = 0},
                   {.usd_per_min = 0.2 + 0.2 * uniform(random), .per_min = 150 + 100 * uniform(random), .lead_min = 0}},
        .slots = {{0, 20, {{3000 * uniform(random), 0.7}, {4000 * uniform(random), 0.3}}}},
        .usd_per_overflow = 0.001 + 0.01 * uniform(random)};
    EXPECT_NEAR(rolling_plan(question).usd, brute_force(question), 0.002 * brute_force(question) + 1e-6) << i;
  }
}

}  // namespace
}  // namespace stash
