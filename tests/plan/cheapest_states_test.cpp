#include "stash/plan/cheapest_states.h"

#include <gtest/gtest.h>

#include "plan/random_network.h"
#include "stash/plan/level.h"

namespace stash {
namespace {

constexpr int kNetworks = 500;
constexpr int kMostLayers = 8;

Level halved(const SplitNetwork& network) {
  Level level{.name = "halves", .groups = {}};
  LevelGroup group;
  group.shares.resize(network.layers.size());
  group.left.bytes_per_s = group.right.bytes_per_s = 1e9;
  level.groups.push_back(std::move(group));
  return level;
}

// All 3^L combinations.
double brute_force(const LevelQuestion& question) {
  const std::size_t layers = question.network.layers.size();
  std::vector<LayerSplit> splits(layers);
  double least = cost_of(question, splits);
  for (;;) {
    std::size_t i = 0;
    while (i < layers && splits[i].type == PartitionType::output) splits[i++].type = PartitionType::batch;
    if (i == layers) return least;
    splits[i].type = static_cast<PartitionType>(static_cast<int>(splits[i].type) + 1);
    least = std::min(least, cost_of(question, splits));
  }
}

TEST(CheapestStates, AreThoseOfBruteForceOn500NetworksWithForksAndJoins) {
  std::mt19937 random(1);
  for (int i = 0; i < kNetworks; ++i) {
    const SplitNetwork network = random_network(random, 1 + i % kMostLayers);
    const Level level = halved(network);
    const LayerPlanRules rules{.batch = 64, .published = true};
    const LevelQuestion question{network, level, rules};
    const double found = cost_of(question, cheapest_splits(question));
    const double least = brute_force(question);
    ASSERT_LE(found, least * (1 + 1e-12)) << "network " << i;
    ASSERT_GE(found, least * (1 - 1e-12)) << "network " << i;
  }
}

TEST(CheapestStates, OfNoNodesCostNothing) { EXPECT_EQ(cheapest_states({}, {}).cost, 0); }

TEST(CheapestStates, ReportTheCostOfTheStatesTheyChose) {
  const std::vector<std::vector<double>> own{{1, 5}, {4, 1}};
  const std::vector<PairCost> pairs{{0, 1, {0, 10, 0, 0}}};
  const CheapestStates found = cheapest_states(own, pairs);
  EXPECT_EQ(found.cost, 5);
  EXPECT_EQ(found.state, (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace stash
