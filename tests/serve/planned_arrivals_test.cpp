#include "stash/serve/load/planned_arrivals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stash/core/error.h"

namespace stash {
namespace {

TEST(Arrivals, ConstantSpacingIsExact) {
  const ArrivalPlan plan = plan_arrivals(100, 1, Spacing::constant, 1);
  ASSERT_EQ(plan.size(), 100U);
  EXPECT_EQ(plan[0], 0);
  EXPECT_EQ(plan[7], 70'000'000);
}

TEST(Arrivals, PoissonGapsVaryAsMuchAsTheyAreLong) {
  const ArrivalPlan plan = plan_arrivals(1000, 100, Spacing::poisson, 7);
  EXPECT_NEAR(static_cast<double>(plan.size()), 100'000, 5 * std::sqrt(100'000.0));
  double sum = 0, squares = 0;
  for (std::size_t i = 1; i < plan.size(); ++i) {
    const double gap = static_cast<double>(plan[i] - plan[i - 1]);
    sum += gap;
    squares += gap * gap;
  }
  const double count = static_cast<double>(plan.size() - 1);
  const double mean = sum / count;
  EXPECT_NEAR(std::sqrt(squares / count - mean * mean) / mean, 1, 0.02);
}

TEST(Arrivals, ASeedRepeatsThem) {
  EXPECT_EQ(plan_arrivals(50, 10, Spacing::poisson, 3), plan_arrivals(50, 10, Spacing::poisson, 3));
  EXPECT_NE(plan_arrivals(50, 10, Spacing::poisson, 3), plan_arrivals(50, 10, Spacing::poisson, 4));
}

TEST(Arrivals, TooManyOrNoneAreRefused) {
  EXPECT_THROW(plan_arrivals(1e9, 3600, Spacing::poisson, 1), UsageError);
  EXPECT_THROW(plan_arrivals(1e-9, 1, Spacing::poisson, 1), UsageError);
  EXPECT_THROW(parse_spacing("poison"), UsageError);
}

}  // namespace
}  // namespace stash
