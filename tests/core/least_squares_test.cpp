#include "stash/core/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stash {
namespace {

TEST(LeastSquares, ALineIsFittedAsItsNormalEquationsSay) {
  const Vector x{0, 1, 2, 3}, y{1, 3, 2, 5};  // of least squares: 1.1 + 1.1 x
  const auto residuals = [&](const Vector& line) {
    Vector distances;
    for (std::size_t i = 0; i < x.size(); ++i) distances.push_back(line[0] + line[1] * x[i] - y[i]);
    return distances;
  };
  const Vector line = least_squares(residuals, {0, 0});
  ASSERT_EQ(line.size(), 2u);
  EXPECT_NEAR(line[0], 1.1, 1e-4);
  EXPECT_NEAR(line[1], 1.1, 1e-4);
}

// Rosenbrock's valley: curved and narrow, least at (1, 1), where the sum of squares is 0.
TEST(LeastSquares, AValleyIsFollowedToItsEnd) {
  const auto residuals = [](const Vector& at) { return Vector{10 * (at[1] - at[0] * at[0]), 1 - at[0]}; };
  for (const Vector& start : {Vector{-1.2, 1}, Vector{0, 0}, Vector{2, -1}}) {
    const Vector found = least_squares(residuals, start);
    EXPECT_NEAR(found[0], 1, 1e-4) << "from " << start[0] << ", " << start[1];
    EXPECT_NEAR(found[1], 1, 1e-4) << "from " << start[0] << ", " << start[1];
  }
}

TEST(LeastSquares, ACurveGivesBackTheFiguresItWasMadeOf) {
  const auto residuals = [](const Vector& at) {
    Vector distances;
    for (int i = 0; i < 8; ++i) distances.push_back(at[0] * std::exp(-at[1] * i) - 2.5 * std::exp(-0.4 * i));
    return distances;
  };
  const Vector found = least_squares(residuals, {1, 1});
  EXPECT_NEAR(found[0], 2.5, 1e-4);
  EXPECT_NEAR(found[1], 0.4, 1e-4);
}

TEST(LeastSquares, ACoordinateThatChangesNothingStays) {
  const auto residuals = [](const Vector& at) { return Vector{at[0] - 3}; };
  const Vector found = least_squares(residuals, {0, 7.25});
  EXPECT_NEAR(found[0], 3, 1e-4);
  EXPECT_EQ(found[1], 7.25);
}

TEST(LeastSquares, TheLeastPointIsNotLeft) {
  const auto residuals = [](const Vector& at) { return Vector{at[0] - 3, at[0] + 1}; };  // at 1 both weigh the same
  EXPECT_NEAR(least_squares(residuals, {1})[0], 1, 1e-4);
}

}  // namespace
}  // namespace stash
