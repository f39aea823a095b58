#include "stash/import/steps.h"

#include <gtest/gtest.h>

namespace stash {

TEST(Steps, OfAFileThatEndsTooEarlyAreThoseBeforeItsLastActivity) {
  TraceSteps steps{StepSource::profiler, {{0, 10}, {10, 20}, {20, 30}}};
  leave_out_cut(steps, {0, 20});
  EXPECT_EQ(steps.windows, (std::vector<Interval>{{0, 10}, {10, 20}}));
  EXPECT_EQ(steps.left_out, 1U);
  leave_out_cut(steps, {0, 15});
  EXPECT_EQ(steps.windows, (std::vector<Interval>{{0, 10}}));
}

TEST(Steps, AFileThatEndsInItsFirstStepHasThatMuchOfIt) {
  TraceSteps steps{StepSource::profiler, {{5, 10}, {10, 20}}};
  leave_out_cut(steps, {0, 7});
  EXPECT_EQ(steps.windows, (std::vector<Interval>{{5, 7}}));
  EXPECT_EQ(steps.left_out, 1U);
}

TEST(Steps, AFileThatEndsBeforeItsFirstStepHasWhatWasDoneBefore) {
  TraceSteps steps{StepSource::profiler, {{10, 20}}};
  leave_out_cut(steps, {0, 7});
  EXPECT_EQ(steps.windows, (std::vector<Interval>{{0, 7}}));
}

TEST(Steps, AFileThatEndsBeforeAnyActivityHasNone) {
  TraceSteps steps{StepSource::profiler, {{10, 20}}};
  leave_out_cut(steps, {9, 3});
  EXPECT_TRUE(steps.windows.empty());
}

}  // namespace stash
