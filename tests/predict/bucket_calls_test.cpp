#include "stash/predict/bucket_calls.h"

#include <gtest/gtest.h>

#include <vector>

namespace stash {
namespace {

constexpr double kBackward_s = 10;

TEST(BucketCalls, OneByOneTheyWaitForEachOther) {
  const std::vector<BucketCall> calls{{2, 3}, {4, 3}, {9, 3}};  // until 5, 8, 12
  const Passed passed = pass_calls(calls, kBackward_s);
  EXPECT_DOUBLE_EQ(passed.exposed_s, 2);
  EXPECT_DOUBLE_EQ(passed.hidden_s, 7);
}

TEST(BucketCalls, WithoutAnyNothingPasses) {
  EXPECT_EQ(pass_calls({}, kBackward_s).exposed_s, 0);
  EXPECT_EQ(pass_calls({}, kBackward_s).hidden_s, 0);
}

TEST(BucketCalls, TwoAtOnceShareTheLinkAndGainWhatPairsGain) {
  const std::vector<BucketCall> calls{{10, 4}, {10, 4}};
  EXPECT_DOUBLE_EQ(pass_calls(calls, kBackward_s, {.most = 2, .paired_ratio = 1}).exposed_s, 8);
  EXPECT_DOUBLE_EQ(pass_calls(calls, kBackward_s, {.most = 2, .paired_ratio = 1.6}).exposed_s, 5);
  EXPECT_DOUBLE_EQ(pass_calls(calls, kBackward_s, {.most = 2, .paired_ratio = 2}).exposed_s, 4);
}

TEST(BucketCalls, AThirdStartsWhenOneOfTwoHasEnded) {
  // The first two run together at half of twice the rate each: until 2 and 6. The third starts at 2.
  const std::vector<BucketCall> calls{{0, 2}, {0, 6}, {0, 1}};
  EXPECT_DOUBLE_EQ(pass_calls(calls, 0, {.most = 2, .paired_ratio = 2}).exposed_s, 6);
  EXPECT_DOUBLE_EQ(pass_calls(calls, 0, {.most = 1, .paired_ratio = 1}).exposed_s, 9);
}

TEST(BucketCalls, HiddenAndExposedTimeAddUpToTheirsAlone) {
  const std::vector<BucketCall> calls{{1, 0.5}, {3, 0.25}, {9.5, 2}};
  const Passed passed = pass_calls(calls, kBackward_s);
  EXPECT_DOUBLE_EQ(passed.exposed_s + passed.hidden_s, 2.75);
}

}  // namespace
}  // namespace stash
