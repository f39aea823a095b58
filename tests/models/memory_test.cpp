#include "stash/models/memory.h"

#include <gtest/gtest.h>

#include "stash/models/models.h"

namespace stash {
namespace {

constexpr double kResnet18Bytes = 11'689'512 * 4.0;

TEST(Memory, WeightsAreHeldFourTimesAndActivationsForEverySample) {
  const Graph graph = make_model("resnet18");
  EXPECT_EQ(training_bytes(graph, 0, 4), 4 * kResnet18Bytes);
  const double one = training_bytes(graph, 1, 4) - training_bytes(graph, 0, 4);
  EXPECT_DOUBLE_EQ(training_bytes(graph, 32, 4) - training_bytes(graph, 0, 4), 32 * one);
  EXPECT_DOUBLE_EQ(training_bytes(graph, 32, 2) - training_bytes(graph, 0, 2), 16 * one);
}

// 2.5 million activations of convolutions, as many of batch norms, and those of what lies between.
TEST(Memory, ActivationsOfAKnownModelAreOfTheRightSize) {
  const double one = training_bytes(make_model("resnet18"), 1, 4) - training_bytes(make_model("resnet18"), 0, 4);
  EXPECT_GT(one, 4 * 5e6);
  EXPECT_LT(one, 4 * 9e6);
}

TEST(Memory, ALargerImageNeedsMore) {
  const Graph small = make_model("resnet18", {.image_size = 112});
  EXPECT_LT(training_bytes(small, 8, 4), training_bytes(make_model("resnet18"), 8, 4));
}

TEST(Memory, AnEmulatedAcceleratorHoldsWeightsAndGradientsOnly) {
  EXPECT_EQ(emulated_bytes(make_model("resnet18")), 2 * kResnet18Bytes);
}

}  // namespace
}  // namespace stash
