#include "stash/share/pool/worker_cost.h"

#include <gtest/gtest.h>

#include <vector>

#include "stash/share/pool/recent_windows.h"

namespace stash {
namespace {

WorkerCost cost_of(const std::vector<CostPoint>& seen) { return WorkerCost(seen); }

TEST(WorkerCost, OfOneNumberOfWorkersIsNearlyTheSameForOthers) {
  const WorkerCost cost = cost_of({{4, 0.1, 0.01}});
  EXPECT_NEAR(cost.sample_s(4), 0.1, 1e-6);
  EXPECT_NEAR(cost.sample_s(8), 0.1, 0.004);
  EXPECT_GT(cost.sample_s(8), 0.1) << "workers disturb each other a little";
}

TEST(WorkerCost, WorkersThatDisturbEachOtherAreSeen) {
  const WorkerCost cost = cost_of({{2, 0.1, 0.005}, {8, 0.13, 0.005}});  // a power of 0.19
  EXPECT_NEAR(cost.sample_s(4), 0.114, 0.003);
  EXPECT_NEAR(cost.sample_s(16), 0.148, 0.006);
}

TEST(WorkerCost, StorageThatGivesNoMoreIsSeen) {
  const WorkerCost cost = cost_of({{1, 0.1, 0.01}, {4, 0.2, 0.01}, {8, 0.4, 0.01}});  // two workers use it all
  EXPECT_NEAR(16 / cost.sample_s(16), 20, 0.5);
  EXPECT_NEAR(2 / cost.sample_s(2), 20, 1.5);
}

TEST(WorkerCost, WhatWasSeenHoldsWhereNoShapeFits) {
  const WorkerCost cost = cost_of({{1, 0.1, 0.002}, {3, 0.08, 0.002}, {6, 0.2, 0.002}});
  EXPECT_NEAR(cost.sample_s(3), 0.08, 0.002);
  EXPECT_NEAR(cost.sample_s(6), 0.2, 0.004);
}

LoaderWindow window_of(double rate, double busy_s = 0.1) {
  return {.workers = 2, .elapsed_s = 1, .samples = rate, .waited_s = 0.5, .busy_s = rate * busy_s};
}

TEST(RecentWindows, ThoseThatOtherProcessesSlowDownAreLeftOut) {
  RecentWindows windows;
  for (const double rate : {20.0, 20.2, 11.0, 19.9, 20.1, 8.0, 20.0, 19.8, 14.0}) windows.add(window_of(rate));
  EXPECT_NEAR(windows.samples_per_s(), 20, 0.1);
  EXPECT_LT(windows.spread_ratio(), 0.02);
}

TEST(RecentWindows, BatchesThatComeInBurstsAreAllCounted) {
  RecentWindows windows;
  for (int i = 0; i < 12; ++i) windows.add(window_of(i % 2 == 0 ? 12 : 28));
  EXPECT_NEAR(windows.samples_per_s(), 20, 0.1);
  EXPECT_GT(windows.spread_ratio(), 0.2);
}

TEST(RecentWindows, AJobThatChangesIsFollowed) {
  RecentWindows windows;
  for (int i = 0; i < 20; ++i) windows.add(window_of(20));
  for (int i = 0; i < 12; ++i) windows.add(window_of(10));
  EXPECT_NEAR(windows.samples_per_s(), 10, 0.1);
  EXPECT_EQ(windows.size(), 12u);
}

}  // namespace
}  // namespace stash
