#include "stash/attribute/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace stash {
namespace {

const std::vector<Condition> kChain(kConditions.begin(), kConditions.end());

TEST(Schedule, ARoundVisitsEveryConditionOnce) {
  for (int round = 0; round < 50; ++round) {
    std::vector<Condition> order = round_order(kChain, 1, round);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, kChain);
  }
}

TEST(Schedule, TheOrderFollowsFromTheSeedAndTheRoundAlone) {
  EXPECT_EQ(round_order(kChain, 7, 3), round_order(kChain, 7, 3));
  std::set<std::vector<Condition>> orders;
  for (int round = 0; round < 20; ++round) orders.insert(round_order(kChain, 7, round));
  EXPECT_GT(orders.size(), 18U);
  EXPECT_NE(round_order(kChain, 8, 0), round_order(kChain, 9, 0));
}

// Drift cancels only when no condition has a favourite place.
TEST(Schedule, EveryConditionComesFirstAboutAsOften) {
  constexpr int kRounds = 7000;
  std::map<Condition, int> first;
  for (int round = 0; round < kRounds; ++round) ++first[round_order(kChain, 1, round).front()];
  for (const Condition condition : kChain) EXPECT_NEAR(first[condition], kRounds / 7.0, 150) << to_string(condition);
}

TEST(Schedule, AnInputWindowIsLongerThanTheQueueIsDeep) {
  Job job;
  job.prefetch = 40;
  EXPECT_GT(window_steps(job, Condition::hot, 10.0, 0), job.prefetch);
  EXPECT_GT(window_steps(job, Condition::cold, 0.001, 0), job.prefetch);
  EXPECT_EQ(window_steps(job, Condition::joined, 10.0, 0), 1);
}

TEST(Schedule, TheLeadInEmptiesWhatWasQueued) {
  Job job;
  job.prefetch = 5;
  EXPECT_GT(lead_in_steps(job, Condition::hot), job.prefetch);
  EXPECT_GT(lead_in_steps(job, Condition::cold), job.prefetch);
  EXPECT_EQ(lead_in_steps(job, Condition::solo), 1);
}

TEST(Schedule, EdgesCostLessThanHalfAPercentOfAWindow) {
  for (const double edge_s : {1e-5, 1e-3, 0.02}) {
    for (const double step_s : {1e-4, 0.003, 0.1, 2.0}) {
      const double window_s = window_steps({}, Condition::apart, step_s, edge_s) * step_s;
      EXPECT_LE(edge_s, 0.005 * window_s * (1 + 1e-9)) << edge_s << ' ' << step_s;
    }
  }
}

TEST(Schedule, AStepThatTakesNoTimeStillEnds) {
  EXPECT_LT(window_steps({}, Condition::solo, 0, 0), 1'000'000);
  EXPECT_LE(pilot_steps(0), 20);
  EXPECT_EQ(pilot_steps(100), 1);
  EXPECT_GT(pilot_steps(0.05), pilot_steps(0.2));
}

}  // namespace
}  // namespace stash
