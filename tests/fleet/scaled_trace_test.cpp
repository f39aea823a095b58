#include "stash/fleet/traffic/scaled_trace.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"

namespace stash {
namespace {

TEST(ScaledTrace, CountsAreRepeatedOrThinned) {
  const LoadTrace trace{.slot_s = 60, .requests = {10'000, 0, 4}, .peak_5s = {1000, 0, 1}};
  EXPECT_EQ(scaled_trace(trace, 3, 1).requests, (std::vector<std::uint32_t>{30'000, 0, 12}));
  EXPECT_EQ(scaled_trace(trace, 3, 1).peak_5s[0], 3000U);
  EXPECT_NEAR(scaled_trace(trace, 0.1, 1).requests[0], 1000, 150);
  EXPECT_NEAR(scaled_trace(trace, 1.5, 1).requests[0], 15'000, 250);
  EXPECT_EQ(scaled_trace(trace, 1, 1).requests, trace.requests);
}

TEST(ScaledTrace, TimesStayInOrder) {
  const LoadTrace trace{.slot_s = 1, .requests = {2, 1}, .timed = {{.at_s = 0.25}, {.at_s = 0.5}, {.at_s = 1.5}}};
  const LoadTrace twice = scaled_trace(trace, 2, 1);
  EXPECT_EQ(twice.timed.size(), 6U);
  EXPECT_EQ(twice.requests, (std::vector<std::uint32_t>{4, 2}));
}

TEST(ScaledTrace, RatiosThatMakeNoSenseAreRefused) {
  const LoadTrace trace{.slot_s = 60, .requests = {4'000'000}};
  for (const double ratio : {0.0, -1.0, 1e7, 2000.0}) EXPECT_THROW(scaled_trace(trace, ratio, 1), UsageError) << ratio;
}

}  // namespace
}  // namespace stash
