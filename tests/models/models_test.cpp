#include "stash/models/models.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "models/count_layers.h"
#include "models/model_fault.h"
#include "stash/core/error.h"

namespace stash {
namespace {

struct Published {
  std::int64_t parameters;
  double giga_multiply_adds;  // at 224 pixels, rounded to two digits after the point
};

// The figures that torchvision and Hugging Face publish with their weights.
const std::map<std::string, Published> kPublished{
    {"alexnet", {61'100'840, 0.71}},        {"resnet18", {11'689'512, 1.81}},
    {"resnet34", {21'797'672, 3.66}},       {"resnet50", {25'557'032, 4.09}},
    {"resnet101", {44'549'160, 7.80}},      {"resnet152", {60'192'808, 11.51}},
    {"vgg11", {132'863'336, 7.61}},         {"vgg13", {133'047'848, 11.31}},
    {"vgg16", {138'357'544, 15.47}},        {"vgg19", {143'667'240, 19.63}},
    {"squeezenet1_0", {1'248'424, 0.82}},   {"shufflenet_v2_x0_5", {1'366'792, 0.04}},
    {"mobilenet_v2", {3'504'872, 0.30}},    {"vit_b_16", {86'567'656, 17.56}},
    {"efficientnet_b0", {5'288'548, 0.39}},
};

const Layer& layer(const Graph& graph, std::string_view name) {
  for (const Layer& l : graph.layers) {
    if (l.name == name) return l;
  }
  throw Error("no layer " + std::string(name));
}

TEST(Models, ImageModelsHaveThePublishedParameters) {
  for (const auto& [name, published] : kPublished) {
    EXPECT_EQ(make_model(name).parameter_count(), published.parameters) << name;
  }
}

TEST(Models, ImageModelsHaveThePublishedOperations) {
  for (const auto& [name, published] : kPublished) {
    EXPECT_NEAR(make_model(name).forward_ops() / 2e9, published.giga_multiply_adds, 0.006) << name;
  }
}

TEST(Models, LanguageModelsHaveThePublishedParameters) {
  EXPECT_EQ(make_model("bert_base").parameter_count(), 108'893'186);
  EXPECT_EQ(make_model("bert_large").parameter_count(), 334'094'338);
  EXPECT_EQ(make_model("gpt2").parameter_count(), 124'439'808);
  EXPECT_EQ(make_model("bert_base_pretrain").parameter_count(), 110'106'428);
  EXPECT_EQ(make_model("bert_large_pretrain").parameter_count(), 336'226'108);
}

TEST(Models, ModelsOfOtherImageSizesHaveThePublishedFigures) {
  EXPECT_EQ(make_model("inception_v3").image_size, 299);
  EXPECT_EQ(make_model("inception_v3").parameter_count(), 27'161'264);
  const double auxiliary_head = 0.006;
  EXPECT_NEAR(make_model("inception_v3").forward_ops() / 2e9, 5.71 + auxiliary_head, 0.006);
  EXPECT_EQ(make_model("efficientnet_b4").image_size, 380);
  EXPECT_EQ(make_model("efficientnet_b4").parameter_count(), 19'341'616);
  EXPECT_NEAR(make_model("efficientnet_b4").forward_ops() / 2e9, 4.39, 0.006);
  EXPECT_EQ(make_model("resnext101_32x4d").parameter_count(), 44'177'704);
  EXPECT_NEAR(make_model("resnext101_32x4d").forward_ops() / 2e9, 8.01, 0.05);
  EXPECT_NE(model_fault("inception_v3", {.image_size = 224}).find("use --image-size 299"), std::string::npos);
}

TEST(Models, SmallResnetsLoseWholeBlocksOfResnet18) {
  const std::int64_t block1 = 2 * 64 * 64 * 9 + 4 * 64;
  const std::int64_t block4 = 2 * 512 * 512 * 9 + 4 * 512;
  const std::int64_t resnet18 = make_model("resnet18").parameter_count();
  EXPECT_EQ(make_model("resnet16").parameter_count(), resnet18 - block4);
  EXPECT_EQ(make_model("resnet12").parameter_count() - make_model("resnet10").parameter_count(), block1);
  EXPECT_EQ(count_layers(make_model("resnet10"), Op::add), 4);
}

TEST(Models, WithoutBatchNormConvolutionsHaveABias) {
  const Graph graph = make_model("resnet18_nobn");
  EXPECT_EQ(count_layers(graph, Op::batch_norm), 0);
  for (const Layer& l : graph.layers) {
    if (l.op != Op::conv2d) continue;
    EXPECT_TRUE(l.bias && l.parameters.size() == 2) << l.name;
  }
  const Graph plain = make_model("resnet18");
  EXPECT_EQ(graph.parameter_count(), plain.parameter_count() - 4800);  // 9600 scales and shifts for 4800 biases
  EXPECT_EQ(graph.forward_ops(), plain.forward_ops());
}

TEST(Models, WithoutShortcutsNothingIsAddedOrDownsampled) {
  const Graph graph = make_model("resnet50_noshortcut");
  EXPECT_EQ(count_layers(graph, Op::add), 0);
  EXPECT_EQ(count_layers(graph, Op::conv2d), count_layers(make_model("resnet50"), Op::conv2d) - 4);
}

TEST(Models, EveryModelIsAChainOfEarlierLayersThatEndsInOneLoss) {
  for (const ModelEntry& entry : model_table()) {
    const Graph graph = make_model(entry.name);
    EXPECT_EQ(graph.name, entry.name);
    std::set<std::string> names;
    for (std::size_t i = 0; i < graph.layers.size(); ++i) {
      const Layer& l = graph.layers[i];
      EXPECT_TRUE(names.insert(l.name).second) << entry.name << " has two layers " << l.name;
      EXPECT_EQ(l.inputs.empty(), i == 0) << l.name;
      for (int input : l.inputs) EXPECT_LT(input, static_cast<int>(i)) << l.name;
      EXPECT_EQ(l.output.empty(), i + 1 == graph.layers.size()) << l.name;
    }
  }
}

TEST(Models, ParameterNamesAreUniqueAndAsPublished) {
  for (const ModelEntry& entry : model_table()) {
    std::set<std::string> names;
    const Graph graph = make_model(entry.name);
    for (const Layer& l : graph.layers) {
      for (const Parameter& p : l.parameters) EXPECT_TRUE(names.insert(p.name).second) << entry.name << ' ' << p.name;
    }
  }
  EXPECT_EQ(layer(make_model("resnet50"), "layer1.0.downsample.0").parameters[0].name, "layer1.0.downsample.0.weight");
  EXPECT_EQ(layer(make_model("mobilenet_v2"), "features.1.conv.0.0").parameters[0].name, "features.1.conv.0.0.weight");
  EXPECT_EQ(layer(make_model("vit_b_16"), "encoder.layers.encoder_layer_0.self_attention.in_proj").parameters[0].name,
            "encoder.layers.encoder_layer_0.self_attention.in_proj_weight");
  EXPECT_EQ(layer(make_model("gpt2"), "transformer.wpe").parameters[0].name, "transformer.wpe.weight");
}

TEST(Models, Gpt2UsesTheWordEmbeddingAsItsHead) {
  const Graph graph = make_model("gpt2");
  const Layer& head = layer(graph, "lm_head");
  ASSERT_GE(head.weight_of, 0);
  EXPECT_EQ(graph.layers[static_cast<std::size_t>(head.weight_of)].name, "transformer.wte");
  EXPECT_TRUE(head.parameters.empty());
  EXPECT_EQ(head.output, (Shape{1024, 50257}));
}

TEST(Models, TransformersHaveTheirOwnLengths) {
  EXPECT_EQ(make_model("bert_base").seq_len, 384);
  EXPECT_EQ(make_model("gpt2").seq_len, 1024);
  EXPECT_EQ(make_model("gpt2", {.seq_len = 128}).seq_len, 128);
  EXPECT_EQ(make_model("gpt2", {.seq_len = 128}).parameter_count(), 124'439'808);
}

TEST(Models, AttentionIsCountedInFull) {
  const Layer attention = layer(make_model("gpt2"), "transformer.h.0.attn");
  EXPECT_TRUE(attention.causal);
  EXPECT_EQ(attention.cost.forward_ops, 2.0 * 2 * 1024 * 1024 * 768);
  EXPECT_EQ(attention.cost.backward_ops, 5.0 * 2 * 1024 * 1024 * 768);
}

TEST(Models, BertIsPretrainedOnAFewMaskedWordsOfASequence) {
  const Graph graph = make_model("bert_large_pretrain", {.seq_len = 512});
  EXPECT_EQ(layer(graph, "cls.predictions").output, (Shape{77, 30522}));  // 15 % of 512
  EXPECT_EQ(layer(graph, "cls.predictions").parameters.at(0).name, "cls.predictions.bias");
  EXPECT_EQ(layer(graph, "cls.seq_relationship").output, (Shape{2}));
  EXPECT_EQ(make_model("bert_base_pretrain").seq_len, 128);
  EXPECT_NEAR(make_model("bert_base_pretrain").forward_ops() / 2e9, 11.7, 0.1);
}

TEST(Models, EfficientNetWeighsItsChannelsAndLeavesSamplesOut) {
  const Graph graph = make_model("efficientnet_b0");
  EXPECT_EQ(count_layers(graph, Op::scale), 16);
  EXPECT_EQ(count_layers(graph, Op::stochastic_depth), 9);  // where the shape is kept, but for the first block
  EXPECT_EQ(layer(graph, "features.2.0.block.2.fc1").output, (Shape{4, 1, 1}));  // a quarter of the block's input
  EXPECT_NEAR(layer(graph, "features.7.0.block.3.0").cost.forward_ops, 2.0 * 1152 * 320 * 7 * 7, 1);
}

TEST(Models, TheFirstConvolutionMakesNoGradientForTheImage) {
  const Graph graph = make_model("resnet18");
  const Cost& first = layer(graph, "conv1").cost;
  const Cost& second = layer(graph, "layer1.0.conv1").cost;
  EXPECT_EQ(first.backward_ops, first.forward_ops);
  EXPECT_EQ(second.backward_ops, 2 * second.forward_ops);
}

TEST(Models, SmallImagesAreTakenWhereTheNetworkCan) {
  for (const char* name : {"resnet152", "vgg19", "squeezenet1_0", "shufflenet_v2_x0_5", "mobilenet_v2"}) {
    EXPECT_EQ(make_model(name, {.image_size = 32}).image_size, 32) << name;
  }
  EXPECT_EQ(make_model("vit_b_16", {.image_size = 32}).layers.at(4).output, (Shape{5, 768}));
}

TEST(Models, ASizeThatTheNetworkCannotTakeNamesOneThatItCan) {
  EXPECT_NE(model_fault("alexnet", {.image_size = 32}).find("use --image-size 63"), std::string::npos);
  EXPECT_NE(model_fault("vit_b_16", {.image_size = 100}).find("use --image-size 112"), std::string::npos);
  EXPECT_EQ(make_model("alexnet", {.image_size = 63}).image_size, 63);
}

TEST(Models, SizesOutOfRangeAreRefused) {
  for (int size : {-1, 0, 31, 4097, 2'000'000'000}) {
    EXPECT_NE(model_fault("resnet18", {.image_size = size}).find("32 to 4096"), std::string::npos) << size;
  }
  for (int seq_len : {-1, 513, 2'000'000'000}) {
    EXPECT_NE(model_fault("bert_base", {.seq_len = seq_len}).find("1 to 512"), std::string::npos) << seq_len;
  }
}

TEST(Models, AnUnknownNameGetsTheNearest) {
  EXPECT_NE(model_fault("resnet5O").find("resnet50"), std::string::npos);
  EXPECT_NE(model_fault("resnet18_nobm").find("resnet18_nobn"), std::string::npos);
  EXPECT_NE(model_fault("gpt_2").find("gpt2"), std::string::npos);
}

}  // namespace
}  // namespace stash
