#include "stash/advise/draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace stash {

namespace {

double mean_product(const Draws& first, const Draws& second) {
  double sum = 0;
  for (std::size_t i = 0; i < kDraws; ++i) sum += static_cast<double>(first[i]) * second[i];
  return sum / kDraws;
}

}  // namespace

TEST(NamedDraws, HaveTheQuantilesOfTheNormalDistribution) {
  NamedDraws named(1);
  Draws draws = named.of("gpu V100");
  EXPECT_NEAR(mean_product(draws, draws), 1, 0.01);
  std::ranges::sort(draws);
  EXPECT_NEAR(draws[kDraws * 9 / 10], 1.2816, 0.01);
  EXPECT_NEAR(draws[kDraws / 40], -1.9600, 0.03);
}

TEST(NamedDraws, OfTwoNamesAreIndependent) {
  NamedDraws named(1);
  const double limit = 4 / std::sqrt(static_cast<double>(kDraws));  // standard deviations of a correlation
  EXPECT_LT(std::abs(mean_product(named.of("gpu V100"), named.of("gpu A100"))), limit);
  EXPECT_LT(std::abs(mean_product(named.of("gpu V100"), named.of("job"))), limit);
}

TEST(NamedDraws, AreTheSameForANameAndASeed) {
  NamedDraws first(7), second(7), other(8);
  first.of("job");
  EXPECT_EQ(first.of("gpu T4"), second.of("gpu T4"));
  EXPECT_NE(first.of("gpu T4"), other.of("gpu T4"));
}

}  // namespace stash
