#include "stash/predict/script_graph.h"

#include <gtest/gtest.h>

#include "script_profile.h"
#include "support/message_of.h"

namespace stash {
namespace {

double sum_s(const std::vector<LayerTime>& times) {
  double sum = 0;
  for (const LayerTime& time : times) sum += *time.forward_s + *time.backward_s;
  return sum;
}

}  // namespace

TEST(ScriptGraph, OperatorsAreLayersOfABuiltInModel) {
  const Graph graph = graph_of(script_work(), "train.py");
  ASSERT_EQ(graph.layers.size(), 2U);
  EXPECT_EQ(graph.layers[0].op, Op::linear);
  EXPECT_TRUE(graph.layers[0].bias);
  EXPECT_EQ(graph.parameter_count(), 4 * 16 + 4);
  EXPECT_EQ(graph.forward_ops(), 128);
  EXPECT_EQ(graph.update, UpdateKind::momentum);
}

TEST(ScriptGraph, ASharedWeightCountsOnce) {
  ScriptWork work = script_work();
  WorkLayer again = work.layers[0];
  again.parameters.clear();
  again.shares_weight = true;
  work.layers.push_back(again);
  const Graph graph = graph_of(work, "train.py");
  EXPECT_EQ(graph.layers[2].weight_of, 0);
  EXPECT_EQ(graph.parameter_count(), 4 * 16 + 4);
}

TEST(ScriptGraph, LayersAndUpdateTakeTheRecordedStep) {
  const ScriptWork work = script_work();
  const std::vector<LayerTime> times = layer_times_of(work, graph_of(work, "train.py"), DType::fp32);
  EXPECT_NEAR(sum_s(times) + update_s(work), work.step_s, 1e-12) << "gaps are shared among the layers";
  EXPECT_GT(*times[0].forward_s, 0.02);
}

TEST(ScriptGraph, GapsOfSeveralPassesAreSharedAmongThem) {
  ScriptWork work = script_work();
  work.passes = 2;
  const std::vector<LayerTime> times = layer_times_of(work, graph_of(work, "train.py"), DType::fp32);
  EXPECT_NEAR(sum_s(times), 0.07 + 0.01 / 2, 1e-12);
}

TEST(ScriptGraph, AnOperatorOfANewerVersionIsNamed) {
  ScriptWork work = script_work();
  work.layers[1].op = "warp";
  EXPECT_EQ(message_of([&] { graph_of(work, "train.py"); }),
            "the profile's operator 'aten::relu' is of a kind, 'warp', that this version does not know: update");
  work.layers.clear();
  EXPECT_EQ(message_of([&] { graph_of(work, "train.py"); }),
            "the profile has no operators of a forward pass: make it again");
}

}  // namespace stash
