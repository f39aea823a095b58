#include "stash/core/clock.h"

#include <gtest/gtest.h>

namespace stash {

TEST(Clock, SleepsUntilTheDeadlineAndNotLess) {
  const std::int64_t deadline_ns = now_ns() + 2'000'000;
  sleep_until_ns(deadline_ns);
  EXPECT_GE(now_ns(), deadline_ns);
}

TEST(Clock, DeadlineInThePastReturnsAtOnce) {
  sleep_until_ns(0);
  sleep_until_ns(-5);
  sleep_until_ns(now_ns() - 1'000'000'000);
}

TEST(Clock, SecondsAndNanosecondsAreInverse) {
  EXPECT_EQ(nanoseconds(seconds(1'234'567'891)), 1'234'567'891);
  EXPECT_DOUBLE_EQ(seconds(1'500'000'000), 1.5);
}

}  // namespace stash
