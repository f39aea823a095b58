#include "stash/plan/layer_plan.h"

#include <gtest/gtest.h>

#include "plan/random_network.h"
#include "stash/core/error.h"
#include "stash/models/models.h"
#include "stash/plan/cheapest_states.h"

namespace stash {
namespace {

DeviceKind kind(const SplitNetwork& network, std::string name, int devices, double ops_per_s, double bytes_per_s) {
  DeviceKind made{.name = std::move(name), .nodes = 1, .per_node = devices};
  made.link_bytes_per_s = made.network_bytes_per_s = bytes_per_s;
  for (const SplitLayer& layer : network.layers) made.layer_s.push_back(layer.weight * layer.output / ops_per_s);
  return made;
}

// Every type at every ratio of a fine grid, exactly: what the narrowing search is held to.
double fine_grid(const LevelQuestion& question, int points) {
  const std::size_t layers = question.network.layers.size();
  std::vector<std::vector<LayerSplit>> candidates(layers);
  std::vector<std::vector<double>> own(layers);
  for (std::size_t i = 0; i < layers; ++i) {
    for (int type = 1; type <= kPartitionTypes; ++type) {
      for (int p = 1; p < points; ++p) {
        const LayerSplit split{static_cast<PartitionType>(type), static_cast<double>(p) / points};
        if (split.ratio < question.rules.smallest_ratio || split.ratio > 1 - question.rules.smallest_ratio) continue;
        candidates[i].push_back(split);
        own[i].push_back(own_cost(question, static_cast<int>(i), split));
      }
    }
  }
  std::vector<PairCost> pairs;
  for (const SplitEdge& edge : question.network.edges) {
    PairCost& pair = pairs.emplace_back(PairCost{edge.from, edge.to, {}});
    for (const LayerSplit& from : candidates[static_cast<std::size_t>(edge.from)]) {
      for (const LayerSplit& to : candidates[static_cast<std::size_t>(edge.to)]) {
        pair.cost.push_back(pair_cost(question, edge, from, to));
      }
    }
  }
  return cheapest_states(own, pairs).cost;
}

SplitNetwork chain(std::mt19937& random, int layers) {
  SplitNetwork network = random_network(random, layers);
  network.edges.clear();
  for (int i = 0; i < layers; ++i) {
    network.layers[static_cast<std::size_t>(i)].weighted = true;
    if (i > 0) network.edges.push_back({i - 1, i, network.layers[static_cast<std::size_t>(i)].input});
  }
  return network;
}

TEST(LayerPlan, RatiosAreAsGoodAsThoseOfAFineGrid) {
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    const SplitNetwork network = chain(random, 5);
    const std::vector<DeviceKind> kinds{kind(network, "slow", 2, 1e9, 1e9), kind(network, "fast", 2, 3e9, 2e9)};
    const LayerPlanRules rules{.batch = 1024};
    std::vector<Level> levels = make_levels(network, kinds, rules);
    const LevelQuestion question{network, levels.front(), rules};
    const double found = cost_of(question, cheapest_splits(question));
    EXPECT_LE(found, fine_grid(question, 64) * 1.01) << "network " << i;
  }
}

TEST(LayerPlan, DataParallelComputeFollowsTheSpeeds) {
  std::mt19937 random(3);
  const SplitNetwork network = chain(random, 4);
  // Links so fast that only computing counts: the slow half gets a quarter.
  const std::vector<DeviceKind> kinds{kind(network, "slow", 1, 1e9, 1e20), kind(network, "fast", 1, 3e9, 1e20)};
  const LayerPlan plan = plan_layers(network, kinds, {.batch = 1024}, data_types(network));
  for (const LayerSplit& split : plan.levels.front().splits) EXPECT_NEAR(split.ratio, 0.25, 0.01);
}

TEST(LayerPlan, AllDevicesOfAKindAreSplitInHalvesTogether) {
  const SplitNetwork network = split_network(make_model("resnet50"));
  const std::vector<DeviceKind> kinds{kind(network, "a", 64, 1e9, 1e9), kind(network, "b", 64, 1e9, 1e9)};
  const LayerPlan plan = plan_layers(network, kinds, {.batch = 512}, {});
  EXPECT_EQ(plan.levels.size(), 7U);
  EXPECT_EQ(plan.levels.front().splits.size(), network.layers.size());
}

TEST(LayerPlan, EveryNetworkThatCanBeBuiltCanBePlanned) {
  for (const ModelEntry& model : model_table()) {
    const SplitNetwork network = split_network(make_model(model.name));
    const std::vector<DeviceKind> kinds{kind(network, "a", 2, 1e12, 1e10), kind(network, "b", 3, 2e12, 1e10)};
    const LayerPlans plans = plan_with_baselines(network, kinds, {.batch = 64});
    EXPECT_LE(plans.best.step_s, plans.data.step_s) << model.name;
    EXPECT_LE(plans.best.step_s, plans.hypar.step_s) << model.name;
    EXPECT_TRUE(plans.fast_only) << model.name;
  }
}

TEST(LayerPlan, MemoryThatIsTooSmallForTheFastestPlanIsKeptTo) {
  const SplitNetwork network = split_network(make_model("vgg16"));
  std::vector<DeviceKind> kinds{kind(network, "a", 4, 1e15, 1e9)};
  const LayerPlanRules rules{.batch = 16};
  const double needed = plan_layers(network, kinds, rules, data_types(network)).memory_bytes.front();
  kinds.front().memory_bytes = needed * 0.8;
  EXPECT_LE(plan_with_baselines(network, kinds, rules).best.memory_bytes.front(), kinds.front().memory_bytes);
}

TEST(LayerPlan, AModelThatFitsNowhereSaysHowMuchIsMissingAndWhatWouldFit) {
  const SplitNetwork network = split_network(make_model("vgg16"));
  std::vector<DeviceKind> kinds{kind(network, "a", 2, 1e15, 1e9)};
  kinds.front().memory_bytes = 1.5e9;
  try {
    plan_with_baselines(network, kinds, {.batch = 16});
    FAIL() << "it fits";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("lacks"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("it fits with"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace stash
