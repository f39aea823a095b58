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
  EXPECT_DOUBLE_EQ(step.forward[i].gpu_s, product_s + volta().product_start_s + volta().other_start_s);
  EXPECT_DOUBLE_EQ(step.backward[i].gpu_s, 2 * product_s + 2 * volta().product_start_s + volta().other_start_s);
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
    const double work_s = step.forward[i].gpu_s - volta().product_start_s - volta().other_start_s;
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

TEST(Roofline, TheOptimizerIsBoundByMemory) {
  const Graph graph = make_model("vgg16");
  const double bytes = 138'357'544.0 * 4;
  const double starts_s = 32 * volta().other_start_s;
  const Gpu& gpu = find_gpu("V100");
  const double rate = 900e9 * volta().memory_ratio;
  EXPECT_DOUBLE_EQ(optimizer_time(graph, gpu, volta(), Optimizer::momentum).gpu_s, 5 * bytes / rate + starts_s);
  EXPECT_DOUBLE_EQ(optimizer_time(graph, gpu, volta(), Optimizer::sgd).gpu_s, 3 * bytes / rate + starts_s);
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
