#include "stash/fleet/policy/miss_price.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

constexpr double kAllowed = 0.02;

MissPrice after(int minutes, double missed_per_min) {
  MissPrice price(kAllowed, 2, 1000);
  for (int i = 0; i < minutes; ++i) price.see({.requests = 1000, .missed = missed_per_min});
  return price;
}

TEST(MissPrice, IsDearBeforeAnythingWasSeenAndCheapAfterHoursWithoutAMiss) {
  EXPECT_EQ(MissPrice(kAllowed, 2, 1000).usd(), 1000);
  EXPECT_GT(after(10, 0).usd(), 20);
  EXPECT_NEAR(after(600, 0).usd(), 2, 0.1);
}

TEST(MissPrice, IsUsedUpBeforeTheObjectiveIsMissed) {
  EXPECT_FALSE(after(3000, 0.6 * kAllowed * 1000).is_used_up());
  EXPECT_TRUE(after(3000, 0.75 * kAllowed * 1000).is_used_up());
  EXPECT_GT(after(3000, 0.6 * kAllowed * 1000).usd(), after(3000, 0.3 * kAllowed * 1000).usd());
}

TEST(MissPrice, ABurstThatIsGivenUpIsSeenAtOnce) {
  MissPrice price = after(3000, 0);
  for (int i = 0; i < 10; ++i) price.see({.requests = 4000, .missed = 2000});
  EXPECT_TRUE(price.is_used_up());
}

TEST(MissPrice, DaysThatOthersServedLeaveRoomForABurst) {
  MissPrice taken_over(kAllowed, 2, 1000), fresh(kAllowed, 2, 1000);
  for (int i = 0; i < 3000; ++i) taken_over.see_before({.requests = 1000, .missed = 20});
  for (MissPrice* const one : {&taken_over, &fresh}) one->see({.requests = 5000, .missed = 4000});
  EXPECT_FALSE(taken_over.is_used_up());
  EXPECT_TRUE(fresh.is_used_up());
}

TEST(MissPrice, AMinuteThatWasNotRecordedChangesNothing) {
  MissPrice price = after(100, 5);
  const double before = price.usd();
  price.see({.requests = 1000, .missed = 1000, .hole = true});
  EXPECT_EQ(price.usd(), before);
}

}  // namespace
}  // namespace stash
