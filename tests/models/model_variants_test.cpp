#include "stash/models/model_variants.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "models/count_layers.h"
#include "models/model_fault.h"

namespace stash {
namespace {

// Layers with a weight, without those of shortcuts: what a network's name counts.
int depth_of(const Graph& graph) {
  int n = 0;
  for (const Layer& layer : graph.layers) {
    const bool counts = layer.op == Op::conv2d || layer.op == Op::linear;
    n += counts && layer.name.find("downsample") == layer.name.npos;
  }
  return n;
}

// Summed over the convolutions, norms and products of these block counts outside this program.
TEST(Variants, ParametersFollowFromDepthAndWidth) {
  const std::map<std::string, std::int64_t> kParameters{
      {"resnet14", 5'788'200},
      {"resnet26", 17'960'232},
      {"resnet38", 21'925'416},
      {"resnet77", 35'611'688},
      {"resnet18_nobn_noshortcut", 11'511'784},
      {"resnet26_noshortcut", 17'786'408},
      {"vgg11_w0.5", 34'243'752},
      {"vgg16_w0.25", 9'418'936},
      {"vgg19_w1.5", 320'166'472},
  };
  for (const auto& [name, parameters] : kParameters) {
    const Graph graph = make_model(name);
    EXPECT_EQ(graph.parameter_count(), parameters) << name;
    EXPECT_EQ(graph.name, name);
  }
}

TEST(Variants, EveryDepthThatBlocksCanMakeIsThere) {
  for (int depth = 10; depth <= 34; depth += 2) {
    EXPECT_EQ(depth_of(make_model("resnet" + std::to_string(depth))), depth);
  }
  for (int depth = 35; depth <= 152; depth += 3) {
    EXPECT_EQ(depth_of(make_model("resnet" + std::to_string(depth))), depth);
  }
}

TEST(Variants, DeeperNetworksHaveMoreParameters) {
  std::int64_t before = 0;
  for (int depth = 35; depth <= 152; depth += 3) {
    const std::int64_t parameters = make_model("resnet" + std::to_string(depth)).parameter_count();
    EXPECT_GT(parameters, before) << depth;
    before = parameters;
  }
}

TEST(Variants, NormsAndShortcutsAreLeftOutTogether) {
  const Graph graph = make_model("resnet50_nobn_noshortcut");
  EXPECT_EQ(count_layers(graph, Op::batch_norm), 0);
  EXPECT_EQ(count_layers(graph, Op::add), 0);
}

TEST(Variants, WidthOneIsThePublishedNetwork) {
  EXPECT_EQ(make_model("vgg13_w1").parameter_count(), make_model("vgg13").parameter_count());
}

TEST(Variants, DepthsAndWidthsThatThereAreNotAreNamed) {
  EXPECT_NE(model_fault("resnet51").find("there is no resnet51; the nearest is 'resnet50'"), std::string::npos);
  EXPECT_NE(model_fault("resnet8").find("the nearest is 'resnet10'"), std::string::npos);
  EXPECT_NE(model_fault("resnet2000000000").find("the nearest is 'resnet152'"), std::string::npos);
  EXPECT_NE(model_fault("resnet-7").find("there is no resnet-7"), std::string::npos);
  EXPECT_NE(model_fault("vgg12_w0.5").find("11, 13, 16 and 19"), std::string::npos);
  for (const char* width : {"0", "-1", "1e9", "nan", "inf"}) {
    EXPECT_NE(model_fault(std::string("vgg11_w") + width).find("widths are"), std::string::npos) << width;
  }
}

TEST(Variants, WhatIsNoVariantGetsTheNearestName) {
  EXPECT_NE(model_fault("resnet18_nobm").find("did you mean 'resnet18_nobn'"), std::string::npos);
  EXPECT_NE(model_fault("vgg11_wide").find("unknown model"), std::string::npos);
  EXPECT_NE(model_fault("resnet99999999999999999999").find("unknown model"), std::string::npos);
}

}  // namespace
}  // namespace stash
