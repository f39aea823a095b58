#include "stash/core/clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "support/eventually.h"

namespace stash {
namespace {

// A sleep that does not end is left behind, so that the test fails instead of hanging.
bool sleep_ends(std::int64_t deadline_ns) {
  const auto ended = std::make_shared<std::atomic<bool>>(false);
  std::thread([ended, deadline_ns] {
    sleep_until_ns(deadline_ns);
    *ended = true;
  }).detach();
  return eventually([&] { return ended->load(); });
}

TEST(Clock, SleepsUntilTheDeadlineAndNotLess) {
  const std::int64_t deadline_ns = now_ns() + 2'000'000;
  sleep_until_ns(deadline_ns);
  EXPECT_GE(now_ns(), deadline_ns);
}

TEST(Clock, DeadlineInThePastReturnsAtOnce) {
  constexpr std::int64_t kHour_ns = 3'600'000'000'000;
  for (const std::int64_t ago_ns : {std::int64_t{1'000'000'000}, kHour_ns}) EXPECT_TRUE(sleep_ends(now_ns() - ago_ns));
  for (const std::int64_t deadline_ns : {std::int64_t{0}, std::int64_t{-5}, -kHour_ns}) {
    EXPECT_TRUE(sleep_ends(deadline_ns)) << deadline_ns;
  }
}

TEST(Clock, SecondsAndNanosecondsAreInverse) {
  EXPECT_EQ(nanoseconds(seconds(1'234'567'891)), 1'234'567'891);
  EXPECT_DOUBLE_EQ(seconds(1'500'000'000), 1.5);
}

}  // namespace
}  // namespace stash
