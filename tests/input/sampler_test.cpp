#include "stash/input/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

namespace stash {
namespace {

std::vector<std::int64_t> epoch_of(const Sampler& sampler, std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < count; ++i) indices.push_back(sampler.index_at(first + i));
  return indices;
}

TEST(Permute, IsABijectionForEverySize) {
  for (std::int64_t size = 1; size <= 200; ++size) {
    std::set<std::int64_t> seen;
    for (std::int64_t i = 0; i < size; ++i) seen.insert(permute(i, size, 7));
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), size);
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), size - 1);
  }
}

TEST(Permute, MovesMostElements) {
  int stayed = 0;
  for (std::int64_t i = 0; i < 1000; ++i) stayed += permute(i, 1000, 3) == i ? 1 : 0;
  EXPECT_LT(stayed, 20);
}

TEST(Sampler, VisitsEverySampleOnceAnEpoch) {
  const Sampler sampler(100, 1, 0, 1);
  std::vector<std::int64_t> indices = epoch_of(sampler, 300, 100);
  std::sort(indices.begin(), indices.end());
  std::vector<std::int64_t> all(100);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(indices, all);
}

TEST(Sampler, EpochsDiffer) {
  const Sampler sampler(100, 1, 0, 1);
  EXPECT_NE(epoch_of(sampler, 0, 100), epoch_of(sampler, 100, 100));
}

TEST(Sampler, TheSeedDeterminesTheOrder) {
  EXPECT_EQ(epoch_of(Sampler(100, 5, 0, 1), 0, 100), epoch_of(Sampler(100, 5, 0, 1), 0, 100));
  EXPECT_NE(epoch_of(Sampler(100, 5, 0, 1), 0, 100), epoch_of(Sampler(100, 6, 0, 1), 0, 100));
}

TEST(Sampler, RanksShareNoSampleWithinAnEpoch) {
  std::set<std::int64_t> seen;
  for (int rank = 0; rank < 4; ++rank) {
    for (const std::int64_t index : epoch_of(Sampler(103, 9, rank, 4), 25, 25)) {
      EXPECT_TRUE(seen.insert(index).second) << "rank " << rank << " repeats " << index;
    }
  }
  EXPECT_EQ(seen.size(), 100U);
}

TEST(Sampler, WorksWithFewerSamplesThanRanks) {
  for (int rank = 0; rank < 8; ++rank) {
    const std::int64_t index = Sampler(3, 1, rank, 8).index_at(17);
    EXPECT_GE(index, 0);
    EXPECT_LT(index, 3);
  }
}

TEST(Sampler, ReplacementsAreOtherSamplesUntilAllWereTried) {
  const Sampler sampler(10, 1, 0, 1);
  std::set<std::int64_t> tried;
  for (std::int64_t skip = 0; skip < 10; ++skip) tried.insert(sampler.index_at(4, skip));
  EXPECT_EQ(tried.size(), 10U);
}

TEST(Sampler, AugmentationDiffersBetweenPositionsAndRanks) {
  std::set<std::uint64_t> seeds;
  for (int rank = 0; rank < 2; ++rank) {
    for (std::int64_t position = 0; position < 100; ++position) {
      seeds.insert(Sampler(50, 1, rank, 2).augment_seed(position));
    }
  }
  EXPECT_EQ(seeds.size(), 200U);
}

}  // namespace
}  // namespace stash
