#include "stash/predict/unpooled.h"

#include <gtest/gtest.h>

#include "stash/models/models.h"

namespace stash {
namespace {

TEST(Unpooled, TheClassifierFollowsTheImage) {
  const Graph pooled = make_model("vgg11", {.image_size = 32});
  const Graph graph = unpooled(pooled);  // 1 x 1 x 512 instead of 7 x 7 x 512
  EXPECT_EQ(pooled.parameter_count() - graph.parameter_count(), 4096 * 512 * (49 - 1));
  EXPECT_DOUBLE_EQ(pooled.forward_ops() - graph.forward_ops(), 2.0 * 4096 * 512 * (49 - 1));
}

TEST(Unpooled, AtTheDefaultSizeNothingChanges) {
  const Graph pooled = make_model("vgg16");
  EXPECT_EQ(unpooled(pooled).parameter_count(), pooled.parameter_count());
  EXPECT_EQ(unpooled(pooled).forward_ops(), pooled.forward_ops());
}

TEST(Unpooled, AMeanOverSpaceStays) {
  const Graph pooled = make_model("resnet18", {.image_size = 64});
  EXPECT_EQ(unpooled(pooled).parameter_count(), pooled.parameter_count());
}

}  // namespace
}  // namespace stash
