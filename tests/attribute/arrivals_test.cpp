#include "stash/attribute/arrivals.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

TEST(Arrivals, TheLateRankIsBehindTheMedianOfTheOthers) {
  // Two steps of two collectives; rank 2 is 30 and 10 ms late, to both collectives of each step.
  const std::vector<double> on_time{0.100, 0.120, 0.300, 0.320};
  const std::vector<std::vector<double>> arrivals{on_time, on_time, {0.130, 0.150, 0.310, 0.330}};
  const std::vector<double> behind = behind_others_s(arrivals, 2);
  ASSERT_EQ(behind.size(), 3u);
  EXPECT_NEAR(behind[0], 0, 1e-12);
  EXPECT_NEAR(behind[2], 0.020, 1e-12) << "the others wait once in each step";
}

TEST(Arrivals, TwoRanksOfALateHostAreBothLate) {
  const std::vector<std::vector<double>> arrivals{{0.1}, {0.1}, {0.2}, {0.21}};
  const std::vector<double> behind = behind_others_s(arrivals, 1);
  EXPECT_NEAR(behind[2], 0.1, 1e-12);
  EXPECT_NEAR(behind[3], 0.11, 1e-12);
}

TEST(Arrivals, NothingToCompare) {
  EXPECT_TRUE(behind_others_s({{0.1}}, 1).empty());
  EXPECT_TRUE(behind_others_s({{}, {}}, 1).empty());
  EXPECT_TRUE(behind_others_s({}, 1).empty());
}

}  // namespace
}  // namespace stash
