#include "stash/core/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

namespace stash {

TEST(Statistics, StudentsTAgreesWithPublishedTables) {
  // NIST/SEMATECH e-Handbook 1.3.6.7.2, and for more digits R's qt(0.975, df).
  constexpr std::array<std::pair<int, double>, 14> kKnown{{{1, 12.70620473617471},
                                                           {2, 4.302652729911275},
                                                           {3, 3.182446305284263},
                                                           {4, 2.776445105197793},
                                                           {5, 2.570581835636314},
                                                           {6, 2.446911851144969},
                                                           {7, 2.364624251592785},
                                                           {9, 2.262157162798205},
                                                           {10, 2.228138851986273},
                                                           {20, 2.085963447265837},
                                                           {30, 2.042272456301238},
                                                           {60, 2.000297822014004},
                                                           {100, 1.983971518523552},
                                                           {1000, 1.962339080792001}}};
  for (const auto& [degrees, quantile] : kKnown) EXPECT_NEAR(student_t_quantile_975(degrees), quantile, 1e-8);
}

TEST(Statistics, StudentsTFallsSteadilyAcrossTheChangeOfFormula) {
  for (int degrees = 2; degrees < 400; ++degrees) {
    EXPECT_LT(student_t_quantile_975(degrees), student_t_quantile_975(degrees - 1)) << degrees;
  }
  EXPECT_NEAR(student_t_quantile_975(1'000'000), 1.959966, 1e-5);
}

TEST(Statistics, StudentsTStaysWithinItsQuantilesInTheTails) {
  EXPECT_DOUBLE_EQ(student_t_within(0, 5), 0);
  EXPECT_NEAR(student_t_within(2.776445105197793, 4), 0.95, 1e-12);
  EXPECT_NEAR(student_t_within(5.959, 8), 1 - 0.000339, 1e-6);  // far out, where corrected tests look
  EXPECT_NEAR(student_t_within(2.0859634, 20), 0.95, 1e-8);
  EXPECT_NEAR(student_t_within(63.656741, 1), 0.99, 1e-8);
  EXPECT_THROW(student_t_within(1, 0), std::invalid_argument);
}

TEST(Statistics, MeanVarianceMedian) {
  constexpr std::array<double, 4> kValues{4, 1, 3, 8};
  EXPECT_DOUBLE_EQ(mean(kValues), 4);
  EXPECT_DOUBLE_EQ(sample_variance(kValues), 26.0 / 3);
  EXPECT_DOUBLE_EQ(median(kValues), 3.5);
  EXPECT_DOUBLE_EQ(median(std::span(kValues).first(3)), 3);
}

TEST(Statistics, NormalDistributionAgreesWithPublishedTables) {
  EXPECT_NEAR(normal_below(0), 0.5, 1e-15);
  EXPECT_NEAR(normal_below(1), 0.8413447460685429, 1e-12);
  EXPECT_NEAR(normal_below(-3), 0.0013498980316301, 1e-12);
  EXPECT_NEAR(normal_quantile(0.9), 1.2815515655446004, 1e-10);
  EXPECT_NEAR(normal_quantile(0.975), kNormalQuantile975, 1e-10);
  EXPECT_NEAR(normal_quantile(0.001), -3.0902323061678132, 1e-10);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-10);
}

TEST(Statistics, ProbabilityWithoutAQuantileIsRefused) {
  for (const double none : {0.0, 1.0, -0.1, 1.1, std::nan("")}) {
    EXPECT_THROW(normal_quantile(none), std::invalid_argument) << none;
  }
}

TEST(Statistics, TooFewValuesAreRefused) {
  EXPECT_THROW(mean({}), std::invalid_argument);
  EXPECT_THROW(median({}), std::invalid_argument);
  EXPECT_THROW(sample_variance(std::array{1.0}), std::invalid_argument);
  EXPECT_THROW(student_t_quantile_975(0), std::invalid_argument);
}

TEST(NextCorrelation, IsOfNeighbours) {
  EXPECT_DOUBLE_EQ(next_correlation(std::vector<double>{1, -1, 1, -1}), -0.75);
  EXPECT_DOUBLE_EQ(next_correlation(std::vector<double>{1, 1, -1, -1}), 0.25);
  EXPECT_DOUBLE_EQ(next_correlation(std::vector<double>{2, 2, 2}), 0);
}

}  // namespace stash
