#include "stash/serve/batching/batch_rule.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"
#include "stash/serve/batching/arrival_rate.h"

namespace stash {
namespace {

constexpr std::int64_t kMs = 1'000'000;

const BatchTimes kFlat({{1, 0.010}});
const BatchTimes kRising({{1, 0.010}, {8, 0.045}});  // 5 ms for each sample more

TEST(BatchTimes, BetweenAndBeyondWhatIsKnownTheyGoStraightOn) {
  EXPECT_DOUBLE_EQ(kRising.at(1), 0.010);
  EXPECT_DOUBLE_EQ(kRising.at(2), 0.015);
  EXPECT_DOUBLE_EQ(kRising.at(16), 0.085);
  EXPECT_DOUBLE_EQ(kFlat.at(100), 0.010);
  EXPECT_EQ(kRising.largest_within(0.0301, 8), 5);
  EXPECT_EQ(kRising.largest_within(0.009, 8), 0);
  EXPECT_THROW(BatchTimes({{2, 0.01}}), Error);
  EXPECT_THROW(BatchTimes({{1, 0.01}, {1, 0.02}}), Error);
}

TEST(BatchRule, TwoBatchesFitIntoTheObjective) {
  EXPECT_EQ(rows_within(kRising, 0.050, 8), 4);  // 25 ms each
  EXPECT_EQ(rows_within(kRising, std::nullopt, 8), 8);
  EXPECT_EQ(rows_within(kRising, 0.012, 8), 1);
  EXPECT_THROW(rows_within(kRising, 0.009, 8), UsageError);
}

TEST(BatchRule, WaitingPaysWhereTheNextComesSoonerThanABatchLasts) {
  EXPECT_EQ(rows_worth_waiting_for(kFlat, 1, 8, 50), 0);    // one in 20 ms, two batches are done by then
  EXPECT_GT(rows_worth_waiting_for(kFlat, 1, 8, 1000), 0);  // ten come while the batch would last
  EXPECT_EQ(rows_worth_waiting_for(kFlat, 8, 8, 1000), 0);  // no room
  // A batch of two takes as long as two of one: there is nothing to gain.
  EXPECT_EQ(rows_worth_waiting_for(BatchTimes({{1, 0.01}, {2, 0.02}}), 1, 8, 1000), 0);
}

TEST(BatchRule, AFullBatchLeavesAtOnce) {
  const BatchRule rule{.most_rows = 4};
  EXPECT_EQ(dispatch_ns(rule, kFlat, {.rows = 4, .oldest_ns = 5 * kMs}, 1000, 7 * kMs, 0), 7 * kMs);
}

TEST(BatchRule, ABatchThatIsNotFullWaitsAsLongAsItPaysAndNoLongerThanItsObjective) {
  const BatchRule rule{.most_rows = 8};
  const std::int64_t due = dispatch_ns(rule, kFlat, {.rows = 1, .oldest_ns = 5 * kMs}, 1000, 0, 0);
  EXPECT_EQ(due, 5 * kMs + rows_worth_waiting_for(kFlat, 1, 8, 1000) * kMs);
  const BatchRule tight{.objective_s = 0.0105, .most_rows = 8};
  EXPECT_EQ(dispatch_ns(tight, kFlat, {.rows = 1, .oldest_ns = 5 * kMs}, 1000, 0, 0), 5 * kMs + kMs / 2);
}

TEST(BatchRule, AFixedBatchWaitsForItsTimeOut) {
  const BatchRule rule{.most_rows = 8, .timeout_s = 0.005};
  EXPECT_EQ(dispatch_ns(rule, kFlat, {.rows = 3, .oldest_ns = 5 * kMs}, 10, 0, 0), 10 * kMs);
  EXPECT_EQ(dispatch_ns(rule, kFlat, {.rows = 3, .oldest_ns = 5 * kMs}, 10, 30 * kMs, 0), 30 * kMs);
}

TEST(BatchRule, TheEndOfARequestCountsTheBatchesBeforeIt) {
  const BatchRule rule{.objective_s = 1, .most_rows = 4};
  EXPECT_EQ(done_ns(rule, kFlat, 1, 0, 0, 0, 0, 0), 10 * kMs);
  EXPECT_EQ(done_ns(rule, kFlat, 1, 3, 0, 0, 20 * kMs, 0), 30 * kMs);
  EXPECT_EQ(done_ns(rule, kFlat, 1, 4, 0, 0, 20 * kMs, 0), 40 * kMs);
  EXPECT_EQ(done_ns(rule, kRising, 1, 0, 1000, 0, 20 * kMs, 0), 45 * kMs);  // those who come meanwhile join it
}

TEST(ArrivalRate, FollowsWhatComes) {
  ArrivalRate rate;
  for (int i = 0; i < 3000; ++i) rate.add(i * kMs, 1);
  EXPECT_NEAR(rate.per_s(3000 * kMs), 1000, 20);
  EXPECT_LT(rate.per_s(6000 * kMs), 5);
}

}  // namespace
}  // namespace stash
