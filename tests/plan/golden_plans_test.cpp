#include <gtest/gtest.h>

#include "stash/plan/layer_plan.h"
#include "stash/plan/published_networks.h"

namespace stash {
namespace {

using Texts = std::vector<std::string>;

constexpr int kLevels = 7;

// 0 = I, 1 = II, 2 = III, as the published program prints them.
Texts plan_texts(std::string_view model, bool hypar) {
  const SplitNetwork network = published_network(model);
  const LayerPlanRules rules{.batch = 512, .published = true};
  const LayerPlan plan =
      plan_published(network, kLevels, rules, hypar ? hypar_types(network) : std::vector<unsigned>{});
  Texts texts;
  for (const PlannedLevel& level : plan.levels) {
    std::string& text = texts.emplace_back();
    for (const LayerSplit& split : level.splits) text += static_cast<char>('0' + static_cast<int>(split.type) - 1);
  }
  return texts;
}

TEST(GoldenPlans, AlexNetIsSplitAsThePublishedProgramSplitsIt) {
  EXPECT_EQ(plan_texts("alexnet", false),
            (Texts{"00000121", "00000211", "00000121", "00000212", "00000121", "00021212", "00001121"}));
  EXPECT_EQ(plan_texts("alexnet", true),
            (Texts{"00000111", "00000111", "00000111", "00000100", "00000111", "00001000", "00011111"}));
}

TEST(GoldenPlans, Vgg11IsSplitAsThePublishedProgramSplitsIt) {
  EXPECT_EQ(plan_texts("vgg11", false), (Texts{"00000000121", "00000000121", "00000000112", "00000000211",
                                               "00000001212", "00000021121", "00002112121"}));
  EXPECT_EQ(plan_texts("vgg11", true), (Texts{"00000000111", "00000000111", "00000000111", "00000000100", "00000000111",
                                              "00000001100", "00000011011"}));
}

}  // namespace
}  // namespace stash
