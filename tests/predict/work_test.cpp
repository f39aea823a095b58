#include "stash/predict/work.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

constexpr StepSum kBusy{{.gpu_s = 1, .host_s = 0.01}, {.gpu_s = 0.1, .host_s = 0.001}};
constexpr StepSum kLaunching{{.gpu_s = 0.1, .host_s = 1}, {.gpu_s = 0.01, .host_s = 0.1}};

TEST(Work, AnEstimateThatWasRightStays) {
  const WorkRatios ratios = ratios_of(kBusy, seconds_of(kBusy));
  EXPECT_NEAR(ratios.gpu, 1, 1e-6);
  EXPECT_NEAR(ratios.host, 1, 1e-6);
}

TEST(Work, ABusyGpuTakesTheWholeDifference) {
  const WorkRatios ratios = ratios_of(kBusy, 1.3 * seconds_of(kBusy));
  EXPECT_NEAR(ratios.gpu, 1.3, 0.01);
  EXPECT_NEAR(ratios.host, 1, 0.01);
}

TEST(Work, AStepThatWaitsForLaunchesSaysNothingOfTheGpu) {
  const WorkRatios ratios = ratios_of(kLaunching, 1.3 * seconds_of(kLaunching));
  EXPECT_NEAR(ratios.gpu, 1, 0.01);
  EXPECT_NEAR(ratios.host, 1.3, 0.02);
}

TEST(Work, AStepFarLongerThanItsLaunchesHasMoreWorkThanItsGraph) {
  const WorkRatios ratios = ratios_of(kLaunching, 20 * seconds_of(kLaunching));
  EXPECT_NEAR(seconds_of(with_ratios(kLaunching, ratios)), 20 * seconds_of(kLaunching), seconds_of(kLaunching));
  EXPECT_GT(ratios.gpu, 50);
}

TEST(Work, LikeWorkScalesByItselfAndUnlikeWorkAsTheReference) {
  const StepSum twice{{.gpu_s = 2, .host_s = 0.01}, {.gpu_s = 0.2, .host_s = 0.001}};
  EXPECT_DOUBLE_EQ(carried({1.2, 1.1}, kBusy, twice, 4).gpu, 1.2);
  EXPECT_DOUBLE_EQ(carried({1.2, 1.1}, kBusy, twice, 4).host, 1.1);
  EXPECT_NEAR(carried({10, 1}, kBusy, twice, 2).gpu, 10, 1e-12);  // the reference scales alike
  EXPECT_NEAR(carried({10, 1}, kBusy, twice, 4).gpu, 20, 2);
}

}  // namespace
}  // namespace stash
