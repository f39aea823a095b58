#include "stash/catalog/roofline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stash/core/error.h"
#include "stash/models/models.h"

namespace stash {
namespace {

const Efficiency& volta() { return efficiency_of(Generation::volta); }

std::size_t index_of(const Graph& graph, std::string_view layer) {
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    if (graph.layers[i].name == layer) return i;
  }
  throw Error("no such layer");
}

TEST(Roofline, AMatrixProductIsBoundByOperations) {
  const Graph graph = make_model("bert_base");
  const StepTime step = step_time(graph, 32, DType::fp32, find_gpu("V100"), volta());
  const std::size_t i = index_of(graph, "bert.encoder.layer.0.intermediate.dense");
  const double product_s = 32.0 * 2 * 384 * 768 * 3072 / (15.7e12 * volta().matrix_ratio);
  const double starts_s = volta().product_start_s + volta().other_start_s;
  EXPECT_DOUBLE_EQ(step.forward[i].gpu_s, product_s + starts_s + 0.768 * volta().reach_s);
  EXPECT_DOUBLE_EQ(step.backward[i].gpu_s,
                   2 * product_s + volta().product_start_s + starts_s + (0.768 + 3.072) * volta().reach_s);
  EXPECT_DOUBLE_EQ(step.backward[i].host_s, 3 * volta().launch_s);
}

TEST(Roofline, AnActivationIsBoundByMemory) {
  const Graph graph = make_model("resnet50");
  const std::size_t i = index_of(graph, "relu");
  const StepTime step = step_time(graph, 64, DType::fp32, find_gpu("V100"), volta());
  const double elements = 64.0 * 64 * 112 * 112;
  EXPECT_DOUBLE_EQ(forward_cost(graph.layers[i], 64, DType::fp32).bytes, 2 * 4 * elements);
  EXPECT_DOUBLE_EQ(backward_cost(graph.layers[i], 64, DType::fp32).bytes, 3 * 4 * elements);
  EXPECT_DOUBLE_EQ(step.forward[i].gpu_s, 8 * elements / (900e9 * volta().memory_ratio) + volta().other_start_s);
}

TEST(Roofline, SmallImagesFillWinogradsTilesBadly) {
  const auto rate = [](int image_size) {
    const Graph graph = make_model("vgg11", {.image_size = image_size});
    const std::size_t i = index_of(graph, "features.8");  // 3x3, at an eighth of the image
    const StepTime step = step_time(graph, 256, DType::fp32, find_gpu("V100"), volta());
    const double tail_s = 256 * 9 * 1e-3 * volta().reach_s;
    const double work_s = step.forward[i].gpu_s - volta().product_start_s - volta().other_start_s - tail_s;
    return forward_cost(graph.layers[i], 256, DType::fp32).ops / work_s;
  };
  EXPECT_NEAR(rate(128) / 15.7e12, volta().winograd_ratio, 1e-9);   // 32 x 32: eight whole tiles
  EXPECT_NEAR(rate(40) / rate(128), std::pow(10.0 / 12, 2), 1e-9);  // 10 x 10 in 12 x 12
}

TEST(Roofline, ConvolutionsUseTf32WhereTheGpuHasIt) {
  const Graph graph = make_model("resnet50");
  const std::size_t i = index_of(graph, "layer1.0.conv3");
  const Gpu& a100 = find_gpu("A100");
  Efficiency reached = efficiency_of(Generation::ampere);
  const double with_s = step_time(graph, 256, DType::fp32, a100, reached).forward[i].gpu_s;
  reached.tensor_conv_ratio = 0;
  EXPECT_LT(with_s, step_time(graph, 256, DType::fp32, a100, reached).forward[i].gpu_s);
}

TEST(Roofline, TheWeightGradientOfADepthwiseConvolutionIsItsSlowestPart) {
  const Graph graph = make_model("mobilenet_v2");
  const std::size_t i = index_of(graph, "features.1.conv.0.0");
  const StepTime step = step_time(graph, 128, DType::fp32, find_gpu("V100"), volta());
  const double ops = forward_cost(graph.layers[i], 128, DType::fp32).ops;
  EXPECT_DOUBLE_EQ(step.forward[i].gpu_s, ops / (15.7e12 * volta().depthwise_ratio) + volta().product_start_s);
  EXPECT_NEAR(step.backward[i].gpu_s - step.forward[i].gpu_s - volta().product_start_s,
              ops / (15.7e12 * volta().depthwise_weight_ratio), 1e-9);
}

TEST(Roofline, TensorFlowsDepthwiseKernelsAreSlowerThanTorchs) {
  Graph graph = make_model("mobilenet_v2");
  for (Layer& layer : graph.layers) layer.tensorflow_kernels = true;
  const std::size_t large = index_of(graph, "features.1.conv.0.0"), small = index_of(graph, "features.8.conv.1.0");
  const StepTime step = step_time(graph, 128, DType::fp32, find_gpu("V100"), volta());
  const auto weights_s = [&](std::size_t i) {
    return step.backward[i].gpu_s - step.forward[i].gpu_s - volta().product_start_s;
  };
  const auto ops = [&](std::size_t i) { return forward_cost(graph.layers[i], 128, DType::fp32).ops; };
  EXPECT_NEAR(weights_s(large), ops(large) / (15.7e12 * volta().tensorflow_depthwise_weight_ratio), 1e-9);
  EXPECT_NEAR(weights_s(small), ops(small) / (15.7e12 * volta().small_tensorflow_depthwise_weight_ratio), 1e-9);
  const StepTime torch = step_time(make_model("mobilenet_v2"), 128, DType::fp32, find_gpu("V100"), volta());
  EXPECT_LT(torch.backward[large].gpu_s, step.backward[large].gpu_s / 3);
}

TEST(Roofline, GroupsOfSeveralChannelsAreNotDepthwise) {
  const Graph graph = make_model("resnext101_32x4d");
  const std::size_t i = index_of(graph, "layer3.1.conv2");
  const StepTime step = step_time(graph, 64, DType::fp32, find_gpu("V100"), volta());
  const double work_s = forward_cost(graph.layers[i], 64, DType::fp32).ops / (15.7e12 * kGroupedConvolutionRatio);
  EXPECT_NEAR(step.forward[i].gpu_s, work_s, 0.1 * work_s);
}

TEST(Roofline, TensorCoresAreIdleWhereAConvolutionHasFewChannels) {
  const Graph graph = make_model("resnet50");
  const Gpu& gpu = find_gpu("H200");
  const Efficiency& hopper = efficiency_of(Generation::hopper);
  const StepTime step = step_time(graph, 256, DType::bf16, gpu, hopper);
  const auto share_of_peak = [&](std::string_view layer) {
    const std::size_t i = index_of(graph, layer);
    return forward_cost(graph.layers[i], 256, DType::bf16).ops / step.forward[i].gpu_s / *gpu.bf16_ops_per_s;
  };
  EXPECT_LT(share_of_peak("conv1"), 0.2 * share_of_peak("layer2.1.conv2"));  // three channels
}

TEST(Roofline, MixedPrecisionLaunchesACastForEachParameter) {
  const Graph graph = make_model("resnet50");
  const std::size_t conv = index_of(graph, "layer1.0.conv1"), relu = index_of(graph, "layer1.0.relu1");
  const Efficiency& hopper = efficiency_of(Generation::hopper);
  const StepTime full = step_time(graph, 64, DType::fp32, find_gpu("H200"), hopper);
  const StepTime mixed = step_time(graph, 64, DType::bf16, find_gpu("H200"), hopper);
  EXPECT_DOUBLE_EQ(mixed.forward[conv].host_s, full.forward[conv].host_s + hopper.launch_s);
  EXPECT_DOUBLE_EQ(mixed.forward[relu].host_s, full.forward[relu].host_s);
}

TEST(Roofline, FusedKernelsSkipWhatACausalMaskHides) {
  const auto attention_s = [](bool causal) {
    Graph graph = make_model("gpt2");
    const std::size_t i = index_of(graph, "transformer.h.0.attn");
    graph.layers[i].causal = causal;
    return step_time(graph, 8, DType::fp32, find_gpu("V100"), volta()).forward[i].gpu_s - volta().product_start_s;
  };
  EXPECT_NEAR(attention_s(true), attention_s(false) / 2, 1e-9);
}

TEST(Roofline, TheOptimizerIsBoundByMemory) {
  const Graph graph = make_model("vgg16");
  const double bytes = 138'357'544.0 * 4;
  const Gpu& gpu = find_gpu("V100");
  const double rate = 900e9 * volta().memory_ratio;
  EXPECT_DOUBLE_EQ(optimizer_time(graph, gpu, volta(), Optimizer::momentum).gpu_s, 5 * bytes / rate);
  EXPECT_DOUBLE_EQ(optimizer_time(graph, gpu, volta(), Optimizer::sgd).gpu_s, 3 * bytes / rate);
  EXPECT_DOUBLE_EQ(optimizer_time(graph, gpu, volta(), Optimizer::sgd).host_s, 32 * volta().update_launch_s);
}

TEST(Roofline, AStepTakesLittleMoreThanTheLongerOfGpuAndCpu) {
  EXPECT_DOUBLE_EQ(joined_s({2, 0}), 2);
  EXPECT_DOUBLE_EQ(joined_s({0, 3}), 3);
  EXPECT_DOUBLE_EQ(joined_s({0, 0}), 0);
  EXPECT_NEAR(joined_s({2, 1}), 2, 0.01);
  EXPECT_NEAR(joined_s({1, 1}), std::pow(2, 1.0 / 6), 1e-12);
  EXPECT_DOUBLE_EQ(gpu_share({1, 1}), 0.5);
  EXPECT_DOUBLE_EQ(gpu_share({1, 0}), 1);
  EXPECT_DOUBLE_EQ(gpu_share({0, 0}), 0);
}

}  // namespace
}  // namespace stash
