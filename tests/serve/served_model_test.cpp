#include "stash/serve/model/served_model.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"
#include "stash/models/models.h"
#include "stash/serve/model/forward_time.h"

namespace stash {
namespace {

ServedModel served(const std::string& text, std::string_view gpu = "V100") {
  return make_served_model(parse_model_source(text), find_gpu(gpu), DType::fp32, 32);
}

TEST(ServedModel, ANetworkHasItsTensorsAndTheTimesOfItsGpu) {
  const ServedModel v100 = served("resnet50"), t4 = served("resnet50", "T4");
  EXPECT_EQ(v100.input.shape, (Shape{3, 224, 224}));
  EXPECT_EQ(v100.output.shape, (Shape{1000}));
  EXPECT_LT(v100.times.at(32), t4.times.at(32));
  EXPECT_LT(v100.times.at(32), 32 * v100.times.at(1));
  EXPECT_GT(v100.load_s, 0);
}

TEST(ServedModel, ALanguageModelTakesTokensAndGivesTheNextWord) {
  const ServedModel model = served("gpt2");
  EXPECT_EQ(model.input.type->name, "INT64");
  EXPECT_EQ(model.output.shape.size(), 1U);
}

TEST(ServedModel, ForwardTakesAboutAThirdOfTheStep) {
  const Graph graph = make_model("resnet50");
  const double forward_s = forward_time_s(graph, 32, DType::fp32, find_gpu("V100"));
  EXPECT_GT(forward_s, 0.02);
  EXPECT_LT(forward_s, 0.06);
}

// data/inference_times.csv; bench/serving_times has them all.
TEST(ServedModel, TimesOfTorchAreNearToThosePublished) {
  const auto time_ms = [](std::string_view model, std::string_view gpu, DType dtype, int batch) {
    return 1e3 * forward_time_s(make_model(model), batch, dtype, find_gpu(gpu));
  };
  EXPECT_NEAR(time_ms("resnet50", "V100", DType::fp32, 1), 10.4, 2);
  EXPECT_NEAR(time_ms("resnet50", "V100", DType::fp32, 128), 109, 15);
  EXPECT_NEAR(time_ms("resnet50", "V100", DType::fp16, 128), 43.6, 7);
  EXPECT_NEAR(time_ms("efficientnet_b0", "V100", DType::fp32, 1), 13.2, 2.5);
  EXPECT_NEAR(time_ms("efficientnet_b4", "A100-80GB", DType::fp32, 1), 16.2, 3);
  EXPECT_NEAR(time_ms("efficientnet_b4", "A100-80GB", DType::fp16, 128), 95.8, 15);
}

TEST(ServedModel, TimesOfLargerBatchesNeverFall) {
  const BatchTimes times({{1, 1e-3}, {8, 0.5e-3}});
  EXPECT_DOUBLE_EQ(times.at(8), 1e-3);
  EXPECT_DOUBLE_EQ(times.at(32), 1e-3);
}

TEST(ServedModel, ASleeperTakesItsTimeForAnyBatch) {
  const ServedModel model = served("idle=sleep:10ms");
  EXPECT_EQ(model.name, "idle");
  EXPECT_DOUBLE_EQ(model.times.at(32), 0.010);
  EXPECT_EQ(served("sleep:0ms").name, "sleep");
}

TEST(ServedModel, WrongNamesAreSaid) {
  EXPECT_THROW(served("resnet5O"), UsageError);
  EXPECT_THROW(served("a/b=resnet50"), UsageError);
  EXPECT_THROW(served("=resnet50"), UsageError);
  EXPECT_THROW(served("sleep:soon"), UsageError);
}

}  // namespace
}  // namespace stash
