#include "stash/study/communication_stall.h"

#include <gtest/gtest.h>

#include <limits>

#include "synthetic.h"

namespace stash {
namespace {

using testing_support::observation;

TEST(Stall, OfTheLastBucketIsNeverHidden) {
  EXPECT_DOUBLE_EQ(stall_s(observation(10e6, 1), {.latency_s = 1e-3, .s_per_byte = 1e-9}), 11e-3);
  EXPECT_NEAR(stall_s(observation(10e6, 5), {.latency_s = 1e-3, .s_per_byte = 1e-9}), 11e-3, 1e-12);
}

TEST(Stall, IsWhatTheBackwardPassDoesNotCover) {
  // Four buckets of 60 ms in a row, of which 100 ms lie beside the backward pass.
  EXPECT_NEAR(stall_s(observation(60e6, 4), {.s_per_byte = 1e-9}), 4 * 60e-3 - 0.1, 1e-12);
}

TEST(Stall, OfTwoAtOnceIsShorterByTheirRatio) {
  Observation o;
  o.in_flight = 2;
  o.buckets = {{10e6, 0, 0}, {10e6, 0, 0}};
  EXPECT_NEAR(stall_s(o, {.s_per_byte = 1e-9, .paired_ratio = 1}), 20e-3, 1e-12);
  EXPECT_NEAR(stall_s(o, {.s_per_byte = 1e-9, .paired_ratio = 2}), 10e-3, 1e-12);
  o.buckets.push_back({10e6, 0, 0});  // waits until one has passed, and is alone then
  EXPECT_NEAR(stall_s(o, {.s_per_byte = 1e-9, .paired_ratio = 2}), 20e-3, 1e-12);
}

TEST(Stall, HoldsWhatHiddenCommunicationSlowsDown) {
  const Observation o = observation(10e6, 5);  // four times 10 ms are hidden
  EXPECT_NEAR(stall_s(o, {.s_per_byte = 1e-9, .slowdown_ratio = 0.25}), 10e-3 + 0.25 * 40e-3, 1e-12);
}

TEST(Stall, WithoutCollectivesIsNone) { EXPECT_EQ(stall_s(observation(1e6, 0), {.latency_s = 1}), 0); }

TEST(Stall, EndsForAnyCoefficients) {
  const Observation o = observation(1e6, 20, 2);
  for (const double value : {0.0, 1e-300, 1e300, std::numeric_limits<double>::infinity()}) {
    EXPECT_GE(stall_s(o, {.latency_s = value}), 0);
  }
}

}  // namespace
}  // namespace stash
