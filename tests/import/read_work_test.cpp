#include "stash/import/read_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "made_trace.h"
#include "made_work_trace.h"
#include "support/message_of.h"

namespace stash {
namespace {

using testing_support::MadeWorkTrace;
using testing_support::TraceFile;

constexpr double kTolerance_s = 1e-12;
constexpr WorkFacts kNothingKnown{};

WorkFacts eight_samples() { return {.batch = 8, .sample_bytes = {}, .parameters = {}}; }

ScriptWork work_of(const MadeWorkTrace& trace, const WorkFacts& facts = eight_samples()) {
  return read_work(TraceFile(trace.text()).path(), facts);
}

double us(double s) { return s * 1e6; }

double row_us(const ScriptWork& work, WorkClass kind, std::optional<WorkPass> pass) {
  double s = 0;
  for (const WorkRow& row : work.rows) s += row.kind == kind && row.pass == pass ? row.s : 0;
  return us(s);
}

double rows_s(const ScriptWork& work) {
  return std::accumulate(work.rows.begin(), work.rows.end(), 0.0,
                         [](double sum, const WorkRow& row) { return sum + row.s; });
}

const WorkRow& row_of(const ScriptWork& work, WorkClass kind, WorkPass pass) {
  const auto found =
      std::ranges::find_if(work.rows, [&](const WorkRow& row) { return row.kind == kind && row.pass == pass; });
  if (found == work.rows.end()) throw Error("there is no such row");
  return *found;
}

// A product of 8 samples, {16} to {4}, with a bias.
MadeWorkTrace& linear(MadeWorkTrace& trace, double start_us, int sequence, const char* type = "float") {
  return trace.op("aten::linear", start_us, 40,
                  {.tensors = {{8, 16}, {4, 16}, {4}}, .sequence = sequence, .type = type});
}

// 100 µs on the thread of the backward pass, of which 60 are a product.
MadeWorkTrace& linear_backward(MadeWorkTrace& trace, double start_us, int sequence) {
  return trace.backward("AddmmBackward0", start_us, 100, sequence)
      .backward_op("aten::mm", start_us + 20, 60, {.tensors = {{4, 8}, {8, 16}}});
}

MadeWorkTrace one_linear_step(const char* optimizer = "Optimizer.step#SGD.step") {
  MadeWorkTrace trace;
  trace.step(0, 1000);
  linear(trace, 10, 1);
  linear_backward(trace, 100, 1);
  trace.mark(optimizer, 300, 200).op("aten::_foreach_add_", 310, 50, {.tensors = {{4, 16}}});
  return trace;
}

MadeWorkTrace convolution(const std::vector<int>& images, const char* stride = "[1, 1]") {
  MadeWorkTrace trace;
  trace.step(0, 100).op("aten::convolution", 10, 20,
                        {.tensors = {images, {4, 3, 3, 3}, {4}},
                         .values = {"", "", "", stride, "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"},
                         .sequence = 1});
  trace.backward("ConvolutionBackward0", 50, 30, 1);
  return trace;
}

}  // namespace

TEST(ReadWork, ForwardBackwardAndUpdateAreOperatorsOnTheCpu) {
  const ScriptWork work = work_of(one_linear_step());
  EXPECT_FALSE(work.on_gpu);
  EXPECT_EQ(work.passes, 1);
  EXPECT_EQ(work.optimizer, UpdateKind::sgd);
  ASSERT_EQ(work.layers.size(), 1U);
  const WorkLayer& layer = work.layers[0];
  EXPECT_EQ(layer.op, "linear");
  EXPECT_EQ(layer.dtype, "fp32");
  EXPECT_EQ(layer.output, (std::vector<std::int64_t>{4}));
  EXPECT_EQ(layer.parameters.size(), 2U);
  EXPECT_NEAR(us(layer.forward_s), 40, 1e-6);
  EXPECT_NEAR(us(layer.backward_s), 100, 1e-6);
  EXPECT_EQ(layer.forward_ops, 2 * 16 * 4);
  EXPECT_EQ(row_of(work, WorkClass::matrix, WorkPass::forward).operations, 8 * 2 * 16 * 4);
}

TEST(ReadWork, TheOptimizersTimeOnTheCpuIsCountedOnce) {
  const ScriptWork work = work_of(one_linear_step());
  EXPECT_NEAR(row_us(work, WorkClass::optimizer, WorkPass::update), 50, 1e-6)
      << "what an optimizer does between its operators is no work, as in the other passes";
  EXPECT_NEAR(row_us(work, WorkClass::gap, std::nullopt), 1000 - 40 - 100 - 50, 1e-6);
  EXPECT_NEAR(rows_s(work), work.step_s, kTolerance_s);
}

TEST(ReadWork, AClosureThatTheOptimizerCallsIsNoneOfItsWork) {
  MadeWorkTrace trace;
  trace.step(0, 1000).mark("Optimizer.step#SGD.step", 5, 600);
  linear(trace, 10, 1);
  linear_backward(trace, 100, 1);
  trace.op("aten::linalg_vector_norm", 250, 20, {.tensors = {{4, 16}}});
  trace.op("aten::_foreach_mul_", 310, 50, {.tensors = {{4, 16}}});
  const ScriptWork work = work_of(trace);
  EXPECT_EQ(work.passes, 1);
  EXPECT_EQ(work.optimizer, UpdateKind::momentum);
  ASSERT_EQ(work.layers.size(), 1U);
  EXPECT_NEAR(us(work.layers[0].forward_s), 40, 1e-6);
  EXPECT_NEAR(us(work.layers[0].backward_s), 100, 1e-6);
  EXPECT_NEAR(row_us(work, WorkClass::optimizer, WorkPass::update), 20 + 50, 1e-6);
  EXPECT_NEAR(rows_s(work), work.step_s, kTolerance_s);
}

TEST(ReadWork, TheKindOfUpdateIsThatOfTheOptimizer) {
  EXPECT_EQ(work_of(one_linear_step("Optimizer.step#AdamW.step")).optimizer, UpdateKind::adam);
  MadeWorkTrace trace = one_linear_step();
  trace.op("aten::_foreach_mul_", 400, 10, {.tensors = {{4, 16}}});
  EXPECT_EQ(work_of(trace).optimizer, UpdateKind::momentum);
}

TEST(ReadWork, ClippedGradientsBelongToTheUpdate) {
  MadeWorkTrace trace;
  trace.step(0, 1000);
  for (const int pass : {0, 1}) {
    linear(trace, 10 + 300 * pass, 1 + pass);
    linear_backward(trace, 100 + 300 * pass, 1 + pass);
  }
  trace.op("aten::linalg_vector_norm", 600, 20, {.tensors = {{4, 16}}});
  trace.op("aten::_foreach_mul_", 630, 20, {.tensors = {{4, 16}}});
  trace.mark("Optimizer.step#SGD.step", 700, 100).op("aten::_foreach_add_", 710, 50, {.tensors = {{4, 16}}});
  const ScriptWork work = work_of(trace);
  EXPECT_EQ(work.passes, 2) << "both passes are alike";
  EXPECT_NEAR(row_us(work, WorkClass::optimizer, WorkPass::update), 20 + 20 + 50, 1e-6);
  EXPECT_EQ(work.optimizer, UpdateKind::sgd) << "scaled gradients are no momentum";
}

TEST(ReadWork, KernelsCountForTheOperatorThatLaunchedThem) {
  MadeWorkTrace trace;
  trace.step(0, 1000).copy(0, 25);
  linear(trace, 10, 1).kernel("ampere_sgemm_128x64_nn", 30, 100);
  linear_backward(trace, 60, 1).kernel("ampere_sgemm_128x64_nn", 140, 200);
  trace.backward_op("record_param_comms", 170, 5).kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 300, 200);
  trace.mark("Optimizer.step#SGD.step", 300, 50).op("aten::_foreach_add_", 310, 10, {.tensors = {{4, 16}}});
  trace.kernel("void at::native::multi_tensor_apply_kernel", 510, 40);
  const ScriptWork work = work_of(trace);
  EXPECT_TRUE(work.on_gpu);
  EXPECT_NEAR(row_us(work, WorkClass::matrix, WorkPass::forward), 100, 1e-6);
  EXPECT_NEAR(row_us(work, WorkClass::matrix, WorkPass::backward), 200, 1e-6);
  EXPECT_NEAR(row_us(work, WorkClass::optimizer, WorkPass::update), 40, 1e-6);
  // The copy, the first product, the second with what the collective adds to it, the update.
  EXPECT_NEAR(row_us(work, WorkClass::gap, std::nullopt), 1000 - 25 - 100 - 360 - 40, 1e-6);
  EXPECT_EQ(row_of(work, WorkClass::matrix, WorkPass::forward).launches, 1);
}

TEST(ReadWork, CommunicationInABackwardPassIsNoComputeOnTheCpu) {
  MadeWorkTrace trace;
  trace.step(0, 1000);
  linear(trace, 10, 1);
  linear_backward(trace, 100, 1).backward_op("c10d::allreduce_", 185, 10);
  EXPECT_NEAR(us(work_of(trace).layers[0].backward_s), 90, 1e-6);
}

TEST(ReadWork, ImagesAreItemsWhereTheBatchIsNotKnown) {
  const ScriptWork work = work_of(convolution({2, 3, 8, 8}), kNothingKnown);
  ASSERT_EQ(work.layers.size(), 1U);
  EXPECT_EQ(work.batch, 0);
  EXPECT_EQ(work.layers[0].op, "conv2d");
  constexpr double kOneImage = 2.0 * (4 * 8 * 8) * (3 * 3 * 3);
  EXPECT_EQ(work.layers[0].forward_ops, 2 * kOneImage);
  EXPECT_EQ(row_of(work, WorkClass::convolution, WorkPass::forward).operations, 2 * kOneImage);
  EXPECT_EQ(work.layers[0].output, (std::vector<std::int64_t>{4, 2 * 8, 8})) << "as many values as were written";
}

TEST(ReadWork, ImagesThatDoNotFollowTheBatchAreItems) {
  constexpr double kOneImage = 2.0 * (4 * 8 * 8) * (3 * 3 * 3);
  EXPECT_EQ(work_of(convolution({8, 3, 8, 8})).layers.at(0).forward_ops, kOneImage);
  EXPECT_EQ(work_of(convolution({16, 3, 8, 8})).layers.at(0).forward_ops, 2 * kOneImage) << "two views of a sample";
  const ScriptWork other = work_of(convolution({6, 3, 8, 8}));
  EXPECT_NEAR(other.layers.at(0).forward_ops, kOneImage * 6 / 8, 1e-9) << "a sample's share of six";
  EXPECT_EQ(other.fixed_ratio, 1);
}

TEST(ReadWork, StridesHalveImages) {
  EXPECT_EQ(work_of(convolution({8, 3, 8, 8}, "[2, 2]")).layers.at(0).output, (std::vector<std::int64_t>{4, 4, 4}));
}

TEST(ReadWork, PoolsOfAnUnknownBatchHaveACost) {
  MadeWorkTrace trace = convolution({2, 3, 8, 8});
  trace.op("aten::max_pool2d", 32, 5,
           {.tensors = {{2, 4, 8, 8}}, .values = {"", "[2, 2]", "[2, 2]", "[0, 0]", "[1, 1]", "False"}});
  trace.op("aten::adaptive_avg_pool2d", 38, 5, {.tensors = {{2, 4, 4, 4}}, .values = {"", "[1, 1]"}});
  const ScriptWork work = work_of(trace, kNothingKnown);
  ASSERT_EQ(work.layers.size(), 3U);
  EXPECT_EQ(work.layers[1].op, "max_pool2d");
  EXPECT_EQ(work.layers[1].forward_elements, 2 * 4 * (8 * 8 + 4 * 4));
  EXPECT_EQ(work.layers[2].forward_elements, 2 * 4 * (4 * 4 + 1));
}

TEST(ReadWork, AHugeImageOverflowsNothing) {
  const ScriptWork work = work_of(convolution({2'000'000'000, 3, 2'000'000'000, 2'000'000'000}), kNothingKnown);
  EXPECT_GT(work.layers.at(0).output.at(1), 0);
}

TEST(ReadWork, ACompiledRegionHasProductsAndKernelsOfItsOwn) {
  MadeWorkTrace trace;
  trace.step(0, 1000).op("Torch-Compiled Region: 0/0", 10, 90).op("CompiledFunction", 20, 70, {.sequence = 7});
  trace.op("aten::addmm", 30, 10, {.tensors = {{4}, {8, 16}, {16, 4}}}).kernel("ampere_sgemm", 30, 100);
  trace.op("triton_poi_fused_relu_0", 50, 10, {.tensors = {{8, 4}, {8, 4}}}).kernel("triton_poi_fused_relu_0", 130, 5);
  trace.backward("CompiledFunctionBackward", 200, 100, 7);
  trace.backward_op("aten::mm", 210, 10, {.tensors = {{4, 8}, {8, 16}}}).kernel("ampere_sgemm", 210, 60);
  trace.backward_op("triton_poi_fused_backward_1", 230, 10, {.tensors = {{8, 4}, {8, 4}}});
  trace.kernel("triton_poi_fused_backward_1", 270, 7);
  const ScriptWork work = work_of(trace);
  EXPECT_TRUE(work.compiled);
  EXPECT_EQ(work.unsized_ratio, 0) << "every kernel on a GPU is called with all that it reads and writes";
  ASSERT_EQ(work.layers.size(), 3U);
  const auto named = [&](std::string_view name) { return *std::ranges::find(work.layers, name, &WorkLayer::name); };
  EXPECT_NEAR(us(named("aten::addmm").backward_s), 60, 1e-6);
  EXPECT_NEAR(us(named("triton_poi_fused_relu_0").forward_s), 5, 1e-6);
  EXPECT_NEAR(us(named("triton_poi_fused_backward_1").backward_s), 7, 1e-6);
  EXPECT_GT(named("triton_poi_fused_backward_1").backward_elements, 0);
}

TEST(ReadWork, CompiledKernelsOfTheCpuAreUnsized) {
  MadeWorkTrace trace;
  trace.step(0, 1000).op("CompiledFunction", 20, 70, {.sequence = 7});
  trace.op("aten::addmm", 30, 20, {.tensors = {{4}, {8, 16}, {16, 4}}});
  trace.backward("CompiledFunctionBackward", 200, 100, 7);
  trace.backward_op("aten::mm", 210, 40, {.tensors = {{4, 8}, {8, 16}}});
  const ScriptWork work = work_of(trace);
  EXPECT_TRUE(work.compiled);
  EXPECT_NEAR(work.unsized_ratio, (50 + 60) / 1000.0, 1e-9);
  ASSERT_EQ(work.layers.size(), 2U);
  EXPECT_NEAR(us(work.layers[1].forward_s), 50, 1e-6);
  EXPECT_NEAR(us(work.layers[1].backward_s), 60, 1e-6);
}

TEST(ReadWork, AccumulatedPassesAreOnePassSeveralTimes) {
  MadeWorkTrace trace;
  trace.step(0, 1000);
  for (const int pass : {0, 1}) {
    linear(trace, 10 + 300 * pass, 1 + pass);
    linear_backward(trace, 100 + 300 * pass, 1 + pass);
  }
  const ScriptWork work = work_of(trace);
  EXPECT_EQ(work.passes, 2);
  ASSERT_EQ(work.layers.size(), 1U);
  EXPECT_NEAR(us(work.layers[0].forward_s), 40, 1e-6);
  EXPECT_NEAR(row_us(work, WorkClass::matrix, WorkPass::forward), 80, 1e-6);
}

TEST(ReadWork, MixedPrecisionComputesInTheTypeOfTheProduct) {
  MadeWorkTrace trace;
  trace.step(0, 1000);
  linear(trace, 10, 1).op("aten::addmm", 20, 20, {.tensors = {{4}, {8, 16}, {16, 4}}, .type = "c10::BFloat16"});
  linear_backward(trace, 100, 1);
  EXPECT_EQ(work_of(trace).layers.at(0).dtype, "bf16");
}

TEST(ReadWork, AWeightThatIsNotTrainedHasNoGradient) {
  const WorkFacts frozen{.batch = 8, .sample_bytes = {}, .parameters = std::vector<Dims>{{7, 7}}};
  MadeWorkTrace trace;
  trace.step(0, 1000);
  linear(trace, 10, 1);
  const ScriptWork work = work_of(trace, frozen);
  EXPECT_EQ(work.layers.at(0).backward_ops, 0);
  EXPECT_EQ(work.layers[0].parameters, (std::vector<std::vector<std::int64_t>>{{7, 7}}))
      << "what no operator was seen to read is updated all the same";
}

TEST(ReadWork, StepsThatDoTheSameAreAveraged) {
  MadeWorkTrace trace;
  for (const int step : {0, 1}) {
    trace.step(1000 * step, 1000);
    trace.op("aten::linear", 1000 * step + 10, 40 + 20 * step, {.tensors = {{8, 16}, {4, 16}, {4}}, .sequence = step});
    linear_backward(trace, 1000 * step + 100, step);
  }
  const ScriptWork work = work_of(trace);
  EXPECT_EQ(work.steps, 2);
  EXPECT_NEAR(us(work.layers.at(0).forward_s), 50, 1e-6);
}

TEST(ReadWork, WhatCannotBeUsedIsSaid) {
  MadeWorkTrace no_step, no_forward;
  linear(no_step, 10, 1);
  no_forward.step(0, 1000).mark("Optimizer.step#SGD.step", 300, 200);
  EXPECT_EQ(message_of([&] { work_of(no_step); }), "no recorded step is in the trace");
  EXPECT_EQ(message_of([&] { work_of(no_forward); }), "no operator of a forward pass is in the recorded steps");
}

}  // namespace stash
