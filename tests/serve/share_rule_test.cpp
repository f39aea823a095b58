#include "stash/serve/batching/share_rule.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr int kSteps = 16;

double sum_of(const std::vector<double>& shares) { return std::accumulate(shares.begin(), shares.end(), 0.0); }

// Takes 4 ms however many samples there are, up to 8; then in proportion.
BatchTimes bounded_by_launching() { return BatchTimes({{1, 0.004}, {8, 0.004}, {32, 0.016}}); }

}  // namespace

TEST(ShareRule, ASmallBatchUsesAPartOfTheDevice) {
  EXPECT_NEAR(used_share(bounded_by_launching(), 1, 0), 1.0 / 8, 1e-9);
  EXPECT_NEAR(used_share(bounded_by_launching(), 8, 0), 1, 1e-9);
  const BatchTimes half = times_on_share(bounded_by_launching(), 32, 0.5);
  EXPECT_NEAR(half.at(1), 0.004, 1e-9);
  EXPECT_NEAR(half.at(4), 0.004, 1e-9);
  EXPECT_NEAR(half.at(8), 0.008, 1e-9);
  EXPECT_NEAR(half.at(32), 0.032, 1e-9);
}

TEST(ShareRule, TheKneeIsWhereMoreOfTheDeviceGainsNothing) {
  std::vector<ShareTime> rows;
  for (int i = 1; i <= 16; ++i) rows.push_back({i / 16.0, std::max(1.0, 0.25 / (i / 16.0))});
  EXPECT_DOUBLE_EQ(knee_share(rows), 0.25);
  rows.assign({{0.5, 2}, {1, 1}});
  EXPECT_DOUBLE_EQ(knee_share(rows), 1);
}

TEST(ShareRule, WhoNeedsMoreGetsMoreAndAllOfTheDeviceIsGivenOut) {
  const ShareNeed busy{.times = bounded_by_launching(), .most_batch = 32, .rate_per_s = 1000, .objective_s = 0.1};
  const ShareNeed idle{.times = bounded_by_launching(), .most_batch = 32, .rate_per_s = 10, .objective_s = 0.1};
  const std::vector<double> shares = shares_by_need(std::vector{busy, idle, idle}, kSteps);
  EXPECT_GT(shares[0], shares[1]);
  EXPECT_DOUBLE_EQ(shares[1], shares[2]);
  EXPECT_DOUBLE_EQ(sum_of(shares), 1);
  EXPECT_GE(shares[0], 1000 / 0.8 / 2000 - 1e-9);  // its rate, with room to spare
}

TEST(ShareRule, AnObjectiveNeedsAShareEvenWithoutLoad) {
  const ShareNeed strict{.times = BatchTimes({{1, 0.01}, {2, 0.02}}), .most_batch = 2, .objective_s = 0.04};
  const ShareNeed lax{.times = BatchTimes({{1, 0.01}, {2, 0.02}}), .most_batch = 2};
  EXPECT_GE(shares_by_need(std::vector{strict, lax}, kSteps)[0], 0.5);
}

TEST(ShareRule, NeedsThatDoNotFitShrinkInProportion) {
  const ShareNeed much{.times = BatchTimes({{1, 0.01}}), .most_batch = 1, .rate_per_s = 1e6};
  const std::vector<double> shares = shares_by_need(std::vector{much, much, much}, kSteps);
  EXPECT_NEAR(shares[0], 1.0 / 3, 1.0 / kSteps);
  EXPECT_LE(sum_of(shares), 1 + 1e-9);
}

TEST(ShareRule, NeedsFitWhileTheirSharesDo) {
  const ShareNeed small{.times = bounded_by_launching(), .most_batch = 32, .rate_per_s = 500};
  const ShareNeed large{.times = bounded_by_launching(), .most_batch = 32, .rate_per_s = 1500};
  EXPECT_TRUE(do_needs_fit(std::vector{small, small}, kSteps));
  EXPECT_FALSE(do_needs_fit(std::vector{large, large}, kSteps));
  ShareNeed hasty = small;
  hasty.objective_s = 0.001;  // no batch takes less than 4 ms
  EXPECT_FALSE(do_needs_fit(std::vector{hasty}, kSteps));
}

TEST(ShareRule, MeasuredTimesAreBelievedMoreThanTheRule) {
  ShareNeed need{.times = bounded_by_launching(), .most_batch = 32};
  EXPECT_NEAR(times_on_steps(need, 1, 2).at(32), 0.032, 1e-9);
  need.measured = {BatchTimes({{1, 0.004}, {32, 0.020}}), bounded_by_launching()};
  EXPECT_NEAR(times_on_steps(need, 1, 2).at(32), 0.020, 1e-9);
  EXPECT_NEAR(times_on_steps(need, 2, 2).at(32), 0.016, 1e-9);
}

TEST(ShareRule, SharesStayUntilOthersPay) {
  ShareNeed busy{.times = bounded_by_launching(), .most_batch = 32, .rate_per_s = 1200};
  const ShareNeed idle{.times = bounded_by_launching(), .most_batch = 32};
  const std::vector<ShareNeed> needs{busy, idle};
  const auto first = changed_shares(SharingWay::need, {}, needs, kSteps);
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, equal_shares(2, kSteps));
  const auto then = changed_shares(SharingWay::need, *first, needs, kSteps);
  ASSERT_TRUE(then);
  EXPECT_GT(then->front(), then->back());
  EXPECT_FALSE(changed_shares(SharingWay::need, *then, needs, kSteps));
  EXPECT_FALSE(changed_shares(SharingWay::equal, *first, needs, kSteps));
}

TEST(ShareRule, AnyNeedsGiveEveryModelAShareAndNeverMoreThanAll) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any(0, 1);
  for (int i = 0; i < 300; ++i) {
    std::vector<ShareNeed> needs(1 + random() % 8);
    for (ShareNeed& need : needs) {
      need.times = BatchTimes({{1, any(random) * 0.01}, {16, 0.01 + any(random) * 0.05}});
      need.most_batch = 16;
      need.rate_per_s = any(random) * 3000;
      if (random() % 2 == 0) need.objective_s = 0.01 + any(random) * 0.1;
    }
    const std::vector<double> shares = shares_by_need(needs, kSteps);
    for (const double share : shares) EXPECT_GE(share, 1.0 / kSteps - 1e-12);
    EXPECT_NEAR(sum_of(shares), 1, 1e-9);
  }
}

TEST(ShareRule, EqualSharesAddUpAndTooManyModelsAreRefused) {
  EXPECT_EQ(equal_shares(4, 16), (std::vector{0.25, 0.25, 0.25, 0.25}));
  EXPECT_DOUBLE_EQ(sum_of(equal_shares(3, 16)), 1);
  EXPECT_THROW(equal_shares(17, 16), UsageError);
  EXPECT_FALSE(pays_to_move(std::vector{0.5, 0.5}, std::vector{0.5625, 0.4375}, 16));
  EXPECT_TRUE(pays_to_move(std::vector{0.5, 0.5}, std::vector{0.625, 0.375}, 16));
}

}  // namespace stash
