#include "stash/share/pool/live_curve.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stash {
namespace {

LoaderWindow window_of(int workers, double worker_s, double ceiling) {
  const double rate = std::min(workers / worker_s, ceiling);
  return {.workers = workers,
          .elapsed_s = 1,
          .samples = rate,
          .waited_s = rate < ceiling ? 1 - rate / ceiling : 0,
          .busy_s = rate * worker_s};
}

TEST(LiveCurve, SaysFromOneNumberOfWorkersWhatOthersBring) {
  LiveCurve curve;
  for (int i = 0; i < 5; ++i) curve.add(window_of(2, 0.1, 50));
  EXPECT_TRUE(curve.is_known());
  EXPECT_NEAR(curve.rate(1), 10, 0.5);
  EXPECT_NEAR(curve.rate(4), 40, 1.5);
  EXPECT_NEAR(curve.rate(8), 50, 1) << "the ceiling";
}

TEST(LiveCurve, SaysHowFewWorkersAreEnoughWhereSomeAreIdle) {
  LiveCurve curve;
  for (int i = 0; i < 5; ++i) curve.add(window_of(8, 0.1, 50));
  EXPECT_NEAR(curve.ceiling(), 50, 0.1);
  EXPECT_NEAR(curve.rate(5), 50, 1.5);
  EXPECT_NEAR(curve.rate(2), 20, 1.5);
}

TEST(LiveCurve, LearnsWhereMoreWorkersBringLess) {
  LiveCurve curve;
  for (int i = 0; i < 5; ++i) curve.add(window_of(2, 0.1, 1000));
  for (int i = 0; i < 5; ++i) curve.add(window_of(4, 0.2, 1000));  // storage: twice the workers, no more samples
  EXPECT_LT(curve.rate(8), 30) << "of 40, were each worth as much";
}

TEST(LiveCurve, IsNotKnownFromOneWindow) {
  LiveCurve curve;
  curve.add(window_of(2, 0.1, 50));
  EXPECT_FALSE(curve.is_known());
  curve.add({.workers = 2, .elapsed_s = 1, .samples = 0, .waited_s = 1, .busy_s = 0});
  EXPECT_FALSE(curve.is_known()) << "a window without samples tells nothing";
}

TEST(LiveCurve, OfAJobIsThatOfItsSlowestRank) {
  LiveCurve fast, slow;
  for (int i = 0; i < 5; ++i) {
    fast.add(window_of(2, 0.1, 50));
    slow.add(window_of(2, 0.2, 50));
  }
  const SupplyCurve curve = curve_of_ranks({&fast, &slow}, 1, 8);
  EXPECT_EQ(curve.ranks, 2);
  EXPECT_NEAR(rate_of(curve, 2).per_s, 20, 1);
  EXPECT_LT(rate_of(curve, 2).low_per_s, rate_of(curve, 2).per_s);
}

}  // namespace
}  // namespace stash
