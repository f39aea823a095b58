#include "stash/predict/scaling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stash/core/error.h"
#include "stash/models/models.h"
#include "stash/predict/unpooled.h"
#include "support/any_contains.h"

namespace stash {
namespace {

const Gpu& v100() { return find_gpu("V100"); }
const Gpu& t4() { return find_gpu("T4"); }

TEST(Scaling, FromTheModelAloneItIsTheRoofline) {
  const Graph graph = make_model("resnet50");
  const ScaledTimes times = scaled_times(graph, 64, DType::fp32, v100());
  EXPECT_EQ(times.layers, layer_times(graph, 64, DType::fp32, v100()));
  EXPECT_DOUBLE_EQ(times.optimizer_s, optimizer_time_s(graph, v100()));
  EXPECT_LT(times.low_ratio, 1);
  EXPECT_GT(times.high_ratio, 1);
  EXPECT_TRUE(any_contains(times.assumptions, "from the model alone"));
}

// As a real device gives them: nothing flows back to the input, which therefore has no time backward.
TEST(Scaling, AProfileOfARealGpuHasNoBackwardTimeOfItsInput) {
  const Graph graph = make_model("resnet18");
  std::vector<LayerTime> layers = layer_times(graph, 32, DType::fp32, v100());
  ASSERT_TRUE(graph.layers[0].parameters.empty());
  layers[0].backward_s = std::nullopt;
  const ScaledTimes times = scaled_times(graph, {layers, 32, &v100(), {}}, 32, DType::fp32, t4());
  EXPECT_EQ(times.layers[0].backward_s, 0);
  EXPECT_GT(*times.layers[1].backward_s, *layers[1].backward_s);
  layers[1].backward_s = std::nullopt;
  EXPECT_THROW(scaled_times(graph, {layers, 32, &v100(), {}}, 32, DType::fp32, t4()), Error);
}

TEST(Scaling, AnUnfittedGpuSaysSoAndIsLessSure) {
  const Graph graph = make_model("resnet50");
  const ScaledTimes fitted = scaled_times(graph, 64, DType::fp32, v100());
  const ScaledTimes estimated = scaled_times(graph, 64, DType::fp32, find_gpu("L4"));
  EXPECT_FALSE(any_contains(fitted.assumptions, "no measurement of"));
  EXPECT_TRUE(any_contains(estimated.assumptions, "no measurement of L4"));
  EXPECT_GT(estimated.high_ratio, fitted.high_ratio);
  EXPECT_FALSE(any_contains(scaled_times(graph, 64, DType::bf16, find_gpu("H200")).assumptions, "no measurement of"));
}

TEST(Scaling, EfficientNetsTakeWhatNvidiasExamplesTake) {
  struct Published {
    std::string model;
    int batch;
    DType dtype;
    std::string gpu;
    double per_s;
  };
  // data/scaling_measured.csv: PyTorch of NVIDIA's examples, one GPU. The batch is not published; larger ones change
  // little.
  const std::vector<Published> rows{{"efficientnet_b0", 128, DType::fp32, "V100", 655},
                                    {"efficientnet_b4", 32, DType::fp32, "V100", 83},
                                    {"efficientnet_b0", 128, DType::fp16, "V100", 1301},
                                    {"efficientnet_b4", 64, DType::fp16, "V100", 204},
                                    {"efficientnet_b0", 256, DType::fp32, "A100-80GB", 1078},
                                    {"efficientnet_b4", 64, DType::fp32, "A100-80GB", 157},
                                    {"efficientnet_b0", 256, DType::fp16, "A100-80GB", 2512},
                                    {"efficientnet_b4", 128, DType::fp16, "A100-80GB", 331}};
  for (const Published& row : rows) {
    const ScaledTimes times = scaled_times(make_model(row.model), row.batch, row.dtype, find_gpu(row.gpu));
    EXPECT_NEAR(times.compute_s() * row.per_s / row.batch, 1, 0.20) << row.model << " on " << row.gpu;
  }
}

TEST(Scaling, AStepOfTensorFlowsDepthwiseKernelsIsRecognised) {
  const Graph graph = make_model("mobilenet_v2");
  const double slow_s = scaled_times(with_tensorflow_kernels(graph), 64, DType::fp32, v100()).compute_s();
  const ScaledTimes slow = scaled_times(graph, {.gpu = &v100(), .step_s = slow_s, .batch = 64}, 64, DType::fp32, t4());
  EXPECT_TRUE(any_contains(slow.assumptions, "TensorFlow 2.5"));
  const double quick_s = scaled_times(graph, 64, DType::fp32, v100()).compute_s();
  const ScaledTimes quick =
      scaled_times(graph, {.gpu = &v100(), .step_s = quick_s, .batch = 64}, 64, DType::fp32, t4());
  EXPECT_FALSE(any_contains(quick.assumptions, "TensorFlow 2.5"));
  EXPECT_NEAR(quick.compute_s(), scaled_times(graph, 64, DType::fp32, t4()).compute_s(), 1e-9);
}

TEST(Scaling, MostOfWhatTheModelAloneDoesNotTellIsTheSameOnEveryGpu) {
  const Graph graph = make_model("resnet50");
  const ScaledTimes alone = scaled_times(graph, 64, DType::fp32, v100());
  const ScaledTimes unfitted = scaled_times(graph, 64, DType::fp32, find_gpu("L4"));
  const ScaledTimes carried = scaled_times(graph, {.gpu = &v100(), .step_s = 0.2, .batch = 64}, 64, DType::fp32, t4());
  // What is a GPU's own is no more than what carrying a step from one GPU to another leaves.
  EXPECT_GT(alone.job_error_ratio, 0.8);
  EXPECT_NEAR((1 - alone.job_error_ratio) * std::pow(std::log(alone.high_ratio), 2),
              (1 - carried.job_error_ratio) * std::pow(std::log(carried.high_ratio), 2), 1e-9);
  EXPECT_LT(unfitted.job_error_ratio, alone.job_error_ratio);
  EXPECT_NEAR(carried.job_error_ratio, 0.5, 1e-9);
}

TEST(Scaling, AStepMeasuredOnTheSameGpuComesBack) {
  const Graph graph = make_model("resnet18", {.image_size = 128});
  const ScaledTimes times = scaled_times(graph, {.gpu = &v100(), .step_s = 0.05, .batch = 64}, 64, DType::fp32, v100());
  EXPECT_NEAR(times.compute_s(), 0.05, 0.05 * 0.02);
  EXPECT_EQ(times.high_ratio, 1);
}

TEST(Scaling, AStepThatIsTheRooflinesOwnGivesTheRooflinesOwn) {
  const Graph graph = make_model("resnet50");
  const double on_v100_s = scaled_times(graph, 64, DType::fp32, v100()).compute_s();
  const double on_t4_s = scaled_times(graph, 64, DType::fp32, t4()).compute_s();
  EXPECT_NEAR(
      scaled_times(graph, {.gpu = &v100(), .step_s = on_v100_s, .batch = 64}, 64, DType::fp32, t4()).compute_s(),
      on_t4_s, on_t4_s * 1e-6);
}

TEST(Scaling, ALongerStepElsewhereIsALongerStepHere) {
  const Graph graph = make_model("resnet50");
  double before_s = 0;
  for (double measured_s : {0.1, 0.2, 0.4, 0.8, 1.6}) {
    const double now_s =
        scaled_times(graph, {.gpu = &t4(), .step_s = measured_s, .batch = 64}, 64, DType::fp32, v100()).compute_s();
    EXPECT_GT(now_s, before_s);
    before_s = now_s;
  }
}

TEST(Scaling, AClassifierThatFollowsTheImageIsRecognised) {
  const Graph graph = make_model("vgg11", {.image_size = 32});
  const ScaledTimes small = scaled_times(graph, {.gpu = &v100(), .step_s = 0.006, .batch = 16}, 16, DType::fp32, t4());
  EXPECT_TRUE(any_contains(small.assumptions, "without torchvision's pooling"));
  const double own_s = scaled_times(graph, 16, DType::fp32, v100()).compute_s();
  const ScaledTimes own = scaled_times(graph, {.gpu = &v100(), .step_s = own_s, .batch = 16}, 16, DType::fp32, t4());
  EXPECT_FALSE(any_contains(own.assumptions, "without torchvision's pooling"));
}

TEST(Scaling, ConvolutionsWithBiasesAreRecognised) {
  const Graph graph = make_model("resnet50", {.image_size = 64});
  const double biased_s = scaled_times(with_biases(graph), 16, DType::fp32, v100()).compute_s();
  const ScaledTimes times =
      scaled_times(graph, {.gpu = &v100(), .step_s = biased_s, .batch = 16}, 16, DType::fp32, t4());
  EXPECT_TRUE(any_contains(times.assumptions, "have biases"));
  const double own_s = scaled_times(with_biases(graph), 16, DType::fp32, t4()).compute_s();
  EXPECT_NEAR(times.compute_s(), own_s, own_s * 1e-6);
}

TEST(Scaling, AStepThatIsFarFromTheModelIsDoubted) {
  const Graph graph = make_model("resnet50");
  const auto with = [&](double step_s) {
    return scaled_times(graph, {.gpu = &v100(), .step_s = step_s, .batch = 64}, 64, DType::fp32, t4()).assumptions;
  };
  EXPECT_TRUE(any_contains(with(0.001), "check its unit, model and batch"));
  EXPECT_TRUE(any_contains(with(10), "times longer than"));
  EXPECT_FALSE(any_contains(with(0.2), "check its unit"));
}

TEST(Scaling, ATimeThatCannotBeIsRefused) {
  const Graph graph = make_model("alexnet");
  for (double bad : {0.0, -1.0, 1e9, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(scaled_times(graph, {.gpu = &v100(), .step_s = bad, .batch = 64}, 64, DType::fp32, t4()), UsageError)
        << bad;
  }
  EXPECT_THROW(scaled_times(graph, 0, DType::fp32, v100()), UsageError);
  EXPECT_THROW(scaled_times(graph, 8, DType::bf16, t4()), UsageError);
}

std::vector<LayerTime> profile_of(const Graph& graph, int batch, double factor) {
  std::vector<LayerTime> rows = layer_times(graph, batch, DType::fp32, v100());
  for (LayerTime& row : rows) {
    *row.forward_s *= factor;
    *row.backward_s *= factor;
  }
  return rows;
}

TEST(Scaling, AProfileOnTheSameGpuStaysAsItIs) {
  const Graph graph = make_model("resnet18");
  const std::vector<LayerTime> rows = profile_of(graph, 32, 1.3);
  const ScaledTimes times = scaled_times(graph, {rows, 32, &v100(), {}}, 32, DType::fp32, v100());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_DOUBLE_EQ(*times.layers[i].forward_s, *rows[i].forward_s);
    EXPECT_DOUBLE_EQ(*times.layers[i].backward_s, *rows[i].backward_s);
  }
  EXPECT_EQ(times.low_ratio, 1);
  EXPECT_EQ(times.high_ratio, 1);
  EXPECT_TRUE(times.assumptions.empty());
}

TEST(Scaling, AProfilesWholeIsKept) {
  const Graph graph = make_model("resnet18");
  const std::vector<LayerTime> rows = profile_of(graph, 32, 1);
  double sum_s = 0;
  for (const LayerTime& row : rows) sum_s += *row.forward_s + *row.backward_s;
  for (double whole_s : {0.9 * sum_s, 1.001 * sum_s, 1.5 * sum_s}) {
    const ScaledTimes times = scaled_times(graph, {rows, 32, &v100(), whole_s}, 32, DType::fp32, v100());
    EXPECT_NEAR(times.compute_s(), whole_s, 1e-9);
  }
}

TEST(Scaling, AProfilesLayersScaleEachAsTheRooflineDoes) {
  const Graph graph = make_model("resnet18");
  const std::vector<LayerTime> rows = profile_of(graph, 32, 1.3);
  const ScaledTimes times = scaled_times(graph, {rows, 32, &v100(), {}}, 64, DType::fp32, t4());
  const std::vector<LayerTime> own = layer_times(graph, 64, DType::fp32, t4());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(*times.layers[i].forward_s, 1.3 * *own[i].forward_s, 0.01 * *own[i].forward_s);
    EXPECT_EQ(times.layers[i].forward_ops, own[i].forward_ops);
  }
  EXPECT_GT(times.high_ratio, 1);
}

TEST(Scaling, TheOptimizerAndTheHostsPartDoNotGrowWithTheBatch) {
  const Graph graph = make_model("vgg11");
  const std::vector<LayerTime> rows = profile_of(graph, 32, 1);
  const double whole_s = scaled_times(graph, {rows, 32, &v100(), {}}, 32, DType::fp32, v100()).compute_s() + 0.004;
  const ScaledTimes once = scaled_times(graph, {rows, 32, &v100(), whole_s}, 32, DType::fp32, v100());
  const ScaledTimes twice = scaled_times(graph, {rows, 32, &v100(), whole_s}, 64, DType::fp32, v100());
  EXPECT_NEAR(once.overhead_s, 0.004, 1e-9);
  EXPECT_NEAR(twice.overhead_s, once.overhead_s, 1e-12);
  EXPECT_NEAR(twice.optimizer_s, once.optimizer_s, 1e-9);
  EXPECT_GT(twice.compute_s(), 1.6 * once.compute_s());
}

// A small layer that is timed alone takes as long as its launch, which the step hides behind other layers.
TEST(Scaling, WhatALayerWaitedForItsLaunchIsCutFirst) {
  const Graph graph = make_model("vgg11");
  std::vector<LayerTime> rows = profile_of(graph, 32, 1);
  const double whole_s = scaled_times(graph, {rows, 32, &v100(), {}}, 32, DType::fp32, v100()).compute_s();
  const double relu_s = *rows[2].forward_s;
  ASSERT_EQ(rows[2].op, "relu");
  *rows[2].forward_s *= 10;
  const ScaledTimes times = scaled_times(graph, {rows, 32, &v100(), whole_s}, 32, DType::fp32, v100());
  EXPECT_NEAR(times.compute_s(), whole_s, 1e-9);
  EXPECT_NEAR(*times.layers[2].forward_s, relu_s, 0.1 * relu_s);
  EXPECT_NEAR(*times.layers[1].forward_s, *rows[1].forward_s, 0.1 * *rows[1].forward_s);
}

TEST(Scaling, AStepWithOneBatchGivesTheStepWithAnother) {
  const Graph graph = make_model("resnet50");
  const double own_s = scaled_times(graph, 32, DType::fp32, v100()).compute_s();
  const double other_s = scaled_times(graph, 128, DType::fp32, v100()).compute_s();
  const StepOnGpu measured{.gpu = &v100(), .step_s = 1.2 * own_s, .batch = 32};
  const ScaledTimes times = scaled_times(graph, measured, 128, DType::fp32, v100());
  EXPECT_NEAR(times.compute_s(), 1.2 * other_s, 0.03 * other_s);
  EXPECT_GT(times.high_ratio, 1.1);
}

TEST(Scaling, AProfileOfAnotherNetworkOrWithoutTimesIsRefused) {
  const Graph graph = make_model("resnet18");
  const auto scale = [&](const std::vector<LayerTime>& rows) {
    return scaled_times(graph, {rows, 32, &v100(), {}}, 32, DType::fp32, t4());
  };
  EXPECT_THROW(scale({}), Error);
  EXPECT_THROW(scale(layer_costs(graph, 32, DType::fp32)), Error);
  std::vector<LayerTime> other = profile_of(graph, 32, 1);
  other[3].name = "somewhere";
  EXPECT_THROW(scale(other), Error);
}

TEST(Scaling, AGptExchangesGradientsOfTwoBytesInHalfPrecision) {
  const Graph graph = make_model("gpt:layers=2,hidden=64,heads=4,seq=32");
  EXPECT_EQ(scaled_times(graph, 2, DType::fp16, find_gpu("A100")).gradient_bytes_ratio, 0.5);
  EXPECT_EQ(scaled_times(graph, 2, DType::fp32, find_gpu("A100")).gradient_bytes_ratio, 1);
  EXPECT_EQ(scaled_times(make_model("gpt2"), 2, DType::fp16, find_gpu("A100")).gradient_bytes_ratio, 1);
}

TEST(Scaling, ANetworkThatNeedsLargerImagesIsTakenAtTheNextSize) {
  std::vector<std::string> assumptions;
  EXPECT_EQ(graph_for_scaling("alexnet", 32, 0, assumptions).image_size, 63);
  ASSERT_EQ(assumptions.size(), 1U);
  EXPECT_NE(assumptions[0].find("63 pixels"), std::string::npos);
  assumptions.clear();
  EXPECT_EQ(graph_for_scaling("vgg11", 32, 0, assumptions).image_size, 32);
  EXPECT_TRUE(assumptions.empty());
  EXPECT_THROW(graph_for_scaling("alexnt", 224, 0, assumptions), UsageError);
  EXPECT_THROW(graph_for_scaling("alexnet", -1, 0, assumptions), UsageError);
  EXPECT_THROW(graph_for_scaling("alexnet", 1 << 30, 0, assumptions), UsageError);
}

}  // namespace
}  // namespace stash
