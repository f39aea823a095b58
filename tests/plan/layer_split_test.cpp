#include "stash/plan/layer_split.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

constexpr double kBatch = 8;
constexpr double kElements = 100;  // of what is between the layers, per sample

SplitNetwork two_layers() {
  SplitNetwork network{.name = "two"};
  network.layers.push_back({.name = "first", .weight = 30, .input = 50, .output = kElements});
  network.layers.push_back({.name = "second", .weight = 40, .input = kElements, .output = 70});
  network.edges.push_back({0, 1, kElements});
  return network;
}

double between(int from, double a, int to, double b) {
  const SplitNetwork network = two_layers();
  return exchange_between(network, network.edges.front(), {static_cast<PartitionType>(from), a},
                          {static_cast<PartitionType>(to), b}, {}, {.batch = kBatch}) /
         (kBatch * kElements);
}

TEST(LayerSplit, ExchangesBetweenLayersAreThoseOfThePublishedTable) {
  for (const double a : {0.5, 0.25, 0.9}) {
    const double b = 1 - a;
    const double table[3][3] = {{0, 2 * a * b, b}, {b, b, 0}, {2 * a * b, 0, b}};
    for (int from = 1; from <= 3; ++from) {
      for (int to = 1; to <= 3; ++to) {
        EXPECT_NEAR(between(from, a, to, a), table[from - 1][to - 1], 1e-12) << from << " to " << to << " at " << a;
      }
    }
  }
}

TEST(LayerSplit, NeighboursWithOtherRatiosExchangeWhatMoves) {
  EXPECT_NEAR(between(1, 0.25, 1, 0.6), 0.35, 1e-12);
  EXPECT_NEAR(between(3, 0.6, 2, 0.25), 0.35, 1e-12);
  EXPECT_NEAR(between(1, 0.25, 2, 0.6), 0.6 * 0.75 + 0.25 * 0.4, 1e-12);
}

TEST(LayerSplit, ExchangesWithinALayerAreItsWeightsItsOutputOrItsInput) {
  const SplitNetwork network = two_layers();
  const auto within = [&](PartitionType type) { return exchange_within(network, 0, type, {}, {.batch = kBatch}); };
  EXPECT_EQ(within(PartitionType::batch), 30);
  EXPECT_EQ(within(PartitionType::input), kBatch * kElements);
  EXPECT_EQ(within(PartitionType::output), kBatch * 50);
}

}  // namespace
}  // namespace stash
