#include "stash/catalog/layer_time.h"

#include <gtest/gtest.h>

#include <string>

#include "stash/core/error.h"
#include "stash/models/models.h"

namespace stash {
namespace {

double step_s(std::string_view model, int batch, DType dtype, std::string_view gpu) {
  const Graph graph = make_model(model);
  double sum = optimizer_time_s(graph, find_gpu(gpu));
  for (const LayerTime& layer : layer_times(graph, batch, dtype, find_gpu(gpu))) {
    sum += *layer.forward_s + *layer.backward_s;
  }
  return sum;
}

LayerTime time_of(std::string_view model, std::string_view layer, int batch, DType dtype, std::string_view gpu) {
  for (const LayerTime& time : layer_times(make_model(model), batch, dtype, find_gpu(gpu))) {
    if (time.name == layer) return time;
  }
  throw Error("no such layer");
}

TEST(LayerTimes, AreThereForEveryLayerInOrder) {
  const Graph graph = make_model("resnet18");
  const std::vector<LayerTime> times = layer_times(graph, 8, DType::fp32, find_gpu("V100"));
  ASSERT_EQ(times.size(), graph.layers.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(times[i].name, graph.layers[i].name);
    EXPECT_EQ(times[i].forward_ops, 8 * graph.layers[i].cost.forward_ops);
    EXPECT_EQ(times[i].parameters, graph.layers[i].parameter_count());
    ASSERT_TRUE(times[i].forward_s && times[i].backward_s);
  }
}

TEST(LayerTimes, HalfPrecisionHalvesActivationsAndNotParameters) {
  const LayerTime full = time_of("resnet50", "fc", 64, DType::fp32, "A100");
  const LayerTime half = time_of("resnet50", "fc", 64, DType::bf16, "A100");
  const double parameter_bytes = 4.0 * full.parameters;
  EXPECT_DOUBLE_EQ(half.forward_bytes - parameter_bytes, (full.forward_bytes - parameter_bytes) / 2);
}

TEST(LayerTimes, ViewsTakeNoTime) {
  const LayerTime time = time_of("resnet50", "flatten", 64, DType::fp32, "V100");
  EXPECT_EQ(*time.forward_s, 0);
  EXPECT_EQ(*time.backward_s, 0);
}

TEST(LayerTimes, GroupedConvolutionsGainNothingFromTensorCores) {
  const LayerTime full = time_of("mobilenet_v2", "features.2.conv.1.0", 64, DType::fp32, "A10G");
  const LayerTime half = time_of("mobilenet_v2", "features.2.conv.1.0", 64, DType::fp16, "A10G");
  EXPECT_GT(*half.forward_s, *full.forward_s / 2 * 0.99);  // the traffic halves, no more
}

// Published step times: 183 ms on V100, 1.55 s on K80, 0.55 s on T4, 0.93 s on M60.
TEST(LayerTimes, Resnet50StepsAreNearThePublishedOnes) {
  EXPECT_NEAR(step_s("resnet50", 64, DType::fp32, "V100"), 0.183, 0.02);
  EXPECT_NEAR(step_s("resnet50", 64, DType::fp32, "K80"), 1.55, 0.15);
  EXPECT_NEAR(step_s("resnet50", 64, DType::fp32, "T4"), 0.55, 0.05);
  EXPECT_NEAR(step_s("resnet50", 64, DType::fp32, "M60"), 0.93, 0.09);
}

// Measured on one H200 (docs/accuracy.md), in fp32 with TF32 in convolutions.
TEST(LayerTimes, StepsOnAnH200AreNearTheMeasuredOnes) {
  EXPECT_NEAR(step_s("resnet18", 128, DType::fp32, "H200"), 0.0252, 0.0252 * 0.25);
  EXPECT_NEAR(step_s("resnet50", 64, DType::fp32, "H200"), 0.0328, 0.0328 * 0.25);
  EXPECT_NEAR(step_s("vgg11", 64, DType::fp32, "H200"), 0.0279, 0.0279 * 0.25);
  EXPECT_NEAR(step_s("bert_base", 8, DType::fp32, "H200"), 0.0514, 0.0514 * 0.25);
}

TEST(LayerTimes, HalfPrecisionIsNeverSlowerOnABusyGpu) {
  for (const Gpu& gpu : gpu_table()) {
    if (!gpu.fp16_ops_per_s) continue;
    for (const char* model : {"resnet50", "vgg16", "mobilenet_v2", "bert_base"}) {
      EXPECT_LT(step_s(model, 256, DType::fp16, gpu.name), step_s(model, 256, DType::fp32, gpu.name))
          << model << " on " << gpu.name;
    }
  }
}

TEST(LayerTimes, NewerDataCentreGpusAreFaster) {
  const char* const kOrder[] = {"K80", "P100", "V100", "A100", "H100", "H200", "B200"};
  for (std::size_t i = 1; i < std::size(kOrder); ++i) {
    EXPECT_LT(step_s("resnet50", 64, DType::fp32, kOrder[i]), step_s("resnet50", 64, DType::fp32, kOrder[i - 1]))
        << kOrder[i];
  }
}

TEST(LayerTimes, LayersSumToTheStep) {
  const Graph graph = make_model("resnet50", {.image_size = 32});
  const Gpu& gpu = find_gpu("V100");
  const StepTime step = step_time(graph, 16, DType::fp32, gpu, efficiency_of(gpu.generation));
  double sum = 0;
  for (const LayerTime& layer : layer_times(graph, 16, DType::fp32, gpu)) sum += *layer.forward_s + *layer.backward_s;
  EXPECT_NEAR(sum, joined_s(step.passes()), 1e-12);
  EXPECT_GT(sum, step.passes().gpu_s * 1.05);  // the launches are what it waits for
}

TEST(LayerTimes, WhatTheGpuCannotDoIsRefused) {
  const Graph graph = make_model("alexnet");
  EXPECT_THROW(layer_times(graph, 8, DType::bf16, find_gpu("T4")), UsageError);
  EXPECT_THROW(layer_times(graph, 0, DType::fp32, find_gpu("T4")), UsageError);
}

}  // namespace
}  // namespace stash
