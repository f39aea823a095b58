#include "stash/study/line_fit.h"

#include <gtest/gtest.h>

#include <vector>

namespace stash {
namespace {

TEST(LineFit, GoesThroughPointsOnALine) {
  const std::vector<double> x{1, 2, 5}, y{5, 7, 13};
  const std::optional<LineFit> line = fit_line(x, y);
  ASSERT_TRUE(line);
  EXPECT_DOUBLE_EQ(line->intercept, 3);
  EXPECT_DOUBLE_EQ(line->slope, 2);
  EXPECT_DOUBLE_EQ(line->r_squared.value(), 1);
}

TEST(LineFit, NeedsTwoPlaces) { EXPECT_FALSE(fit_line(std::vector<double>{1, 1}, std::vector<double>{1, 2})); }

TEST(LineFit, OfEqualValuesExplainsNothing) {
  EXPECT_FALSE(fit_line(std::vector<double>{1, 2}, std::vector<double>{4, 4})->r_squared);
}

TEST(RSquared, IsTheShareOfTheVarianceThatIsExplained) {
  const std::vector<double> measured{1, 3}, predicted{2, 3};
  EXPECT_DOUBLE_EQ(r_squared(measured, predicted).value(), 0.5);
}

}  // namespace
}  // namespace stash
