#include "stash/launch/process/affinity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace stash {
namespace {

std::vector<int> first_cores(int count) {
  std::vector<int> cores(static_cast<std::size_t>(count));
  std::iota(cores.begin(), cores.end(), 10);
  return cores;
}

TEST(Affinity, SharesCoverEveryCoreOnceAndAreAsEvenAsCanBe) {
  for (int ranks = 1; ranks <= 12; ++ranks) {
    std::vector<int> all;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::vector<int> share = core_share(first_cores(12), rank, ranks);
      EXPECT_GE(share.size(), static_cast<std::size_t>(12 / ranks));
      EXPECT_LE(share.size(), static_cast<std::size_t>((12 + ranks - 1) / ranks));
      all.insert(all.end(), share.begin(), share.end());
    }
    EXPECT_EQ(all, first_cores(12)) << ranks << " ranks";
  }
}

TEST(Affinity, RanksBeyondTheCoresShareOneEvenly) {
  std::vector<int> uses(2);
  for (int rank = 0; rank < 6; ++rank) {
    const std::vector<int> share = core_share({0, 1}, rank, 6);
    ASSERT_EQ(share.size(), 1U);
    ++uses[static_cast<std::size_t>(share[0])];
  }
  EXPECT_EQ(uses, (std::vector<int>{3, 3}));
}

TEST(Affinity, WithoutKnownCoresThereIsNothingToShare) { EXPECT_TRUE(core_share({}, 0, 2).empty()); }

TEST(Affinity, PinningIsSeenAndNoCoresPinNothing) {
  const std::vector<int> before = allowed_cores();
  ASSERT_FALSE(before.empty());
  pin_to_cores({before.back()});
  EXPECT_EQ(allowed_cores(), std::vector<int>{before.back()});
  pin_to_cores({});
  EXPECT_EQ(allowed_cores(), std::vector<int>{before.back()});
  pin_to_cores(before);
  EXPECT_EQ(allowed_cores(), before);
}

}  // namespace
}  // namespace stash
