#include "stash/predict/most_likely.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace stash {
namespace {

using Factors = std::span<const double>;

// A part that the first factor multiplies, and a transfer that the second makes faster.
MeasuredTime time_of(double s, double compute_s, double transfer_s) {
  return {s, [=](Factors factors) { return compute_s * factors[0] + transfer_s / factors[1]; }};
}

}  // namespace

TEST(MostLikely, WithoutAMeasuredTimeNothingIsLearned) {
  const std::array spreads{0.2, 0.1};
  const std::vector<LikelyFactor> found = most_likely(spreads, {});
  EXPECT_DOUBLE_EQ(found[0].value, 1);
  EXPECT_NEAR(found[0].log_spread, 0.2, 1e-9);
  EXPECT_NEAR(found[1].log_spread, 0.1, 1e-9);
}

TEST(MostLikely, AsManyTimesAsFactorsGiveThemExactly) {
  const std::array spreads{0.2, 0.1};
  for (const double compute : {0.5, 1.0, 2.5}) {
    for (const double link : {0.05, 0.4, 1.0}) {
      const std::array times{time_of(compute, 1, 0), time_of(compute + 0.5 / link, 1, 0.5)};
      const std::vector<LikelyFactor> found = most_likely(spreads, times);
      EXPECT_NEAR(found[0].value, compute, 0.01 * compute) << compute << " and " << link;
      EXPECT_NEAR(found[1].value, link, 0.03 * link) << compute << " and " << link;
      EXPECT_LT(found[0].log_spread, 0.04);
    }
  }
}

TEST(MostLikely, OneTimeIsExplainedByWhatIsLeastCertain) {
  const std::array times{time_of(2, 0.5, 0.5)};
  const std::vector<LikelyFactor> by_link = most_likely(std::array{0.02, 0.5}, times);
  EXPECT_LT(by_link[0].value, 1.1);
  EXPECT_NEAR(by_link[1].value, 1 / 3.0, 0.05);
  const std::vector<LikelyFactor> by_compute = most_likely(std::array{0.5, 0.02}, times);
  EXPECT_NEAR(by_compute[0].value, 3, 0.15);
  EXPECT_GT(by_compute[1].value, 0.9);
}

TEST(MostLikely, ALinkThatHidesUntilItIsSlowIsFound) {
  const std::array times{MeasuredTime{1, [](Factors f) { return f[0]; }},
                         MeasuredTime{2, [](Factors f) { return std::max(f[0], 0.2 / f[1]); }}};
  const std::vector<LikelyFactor> found = most_likely(std::array{0.2, 0.3}, times);
  EXPECT_NEAR(found[0].value, 1, 0.01);
  EXPECT_NEAR(found[1].value, 0.1, 0.005);
}

TEST(MostLikely, RepeatedTimesMeetInTheMiddle) {
  const std::array times{time_of(0.9, 1, 0), time_of(1.1, 1, 0)};
  const LikelyFactor found = most_likely(std::array{0.2, 0.1}, times)[0];
  EXPECT_NEAR(found.value, std::sqrt(0.9 * 1.1), 0.002);
  EXPECT_LT(found.log_spread, most_likely(std::array{0.2, 0.1}, std::array{times[0]})[0].log_spread);
}

}  // namespace stash
