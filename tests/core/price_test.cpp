#include "stash/core/price.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

TEST(Price, OfAnHourHasCentsAndBelowTenOfThemFourDigits) {
  EXPECT_EQ(format_price(24.48), "$24.48");
  EXPECT_EQ(format_price(0.021), "$0.0210");
  EXPECT_EQ(format_price_cell(0.5), "0.50");
}

TEST(Price, OfATrainingHasCentsBelowAHundredDollars) {
  EXPECT_EQ(format_usd(12.1), "$12.10");
  EXPECT_EQ(format_usd(646.4), "$646");
}

TEST(Price, ThresholdsStillHoldWhenTheyAreRounded) {
  EXPECT_EQ(price_at_most(3.069), "$3.06");
  EXPECT_EQ(usd_at_least(646.1), "$647");
}

}  // namespace
}  // namespace stash
