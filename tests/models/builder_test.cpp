#include "stash/models/builder.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

TEST(Builder, PoolsRoundUpOnlyWhenAsked) {
  Builder net("test");
  const int x = net.image(110);
  EXPECT_EQ(net.output(net.max_pool2d("floor", x, {.kernel = 3, .stride = 2})), (Shape{3, 54, 54}));
  EXPECT_EQ(net.output(net.max_pool2d("ceil", x, {.kernel = 3, .stride = 2, .ceil_mode = true})), (Shape{3, 55, 55}));
}

TEST(Builder, AWindowThatWouldStartInTheRightPaddingIsLeftOut) {
  Builder net("test");
  const int x = net.image(5);  // with padding 7 wide: windows at -1, 2 and, rounded up, 5, which is padding only
  const Pooling spec{.kernel = 2, .stride = 3, .padding = 1, .ceil_mode = true};
  EXPECT_EQ(net.output(net.max_pool2d("pool", x, spec)), (Shape{3, 2, 2}));
}

TEST(Builder, GroupsDivideTheWeightAndTheOperations) {
  Builder net("test");
  int x = net.conv2d("a", net.image(8), {.channels = 16});
  x = net.conv2d("b", x, {.channels = 16, .kernel = 3, .padding = 1, .groups = 16});
  const Graph graph = std::move(net).finish(0);
  const Layer& depthwise = graph.layers.at(static_cast<std::size_t>(x));
  EXPECT_EQ(depthwise.parameters.at(0).shape, (Shape{16, 1, 3, 3}));
  EXPECT_EQ(depthwise.cost.forward_ops, 2.0 * 16 * 8 * 8 * 9);
  EXPECT_EQ(depthwise.cost.backward_ops, 2 * depthwise.cost.forward_ops);
}

TEST(Builder, AConvolutionCanBeWiderThanHigh) {
  Builder net("test");
  const int x = net.conv2d("row", net.image(8), {.channels = 2, .kernel = 1, .kernel_width = 5, .padding_width = 1});
  EXPECT_EQ(net.output(x), (Shape{2, 8, 6}));
  const Graph graph = std::move(net).finish(0);
  const Layer& row = graph.layers.at(static_cast<std::size_t>(x));
  EXPECT_EQ(row.parameters.at(0).shape, (Shape{2, 3, 1, 5}));
  EXPECT_EQ(row.cost.forward_ops, 2.0 * 2 * 8 * 6 * 3 * 5);
}

TEST(Builder, ALinearLayerCountsEveryToken) {
  Builder net("test");
  int x = net.embedding("words", net.tokens(7, 11), 5);
  x = net.linear("head", x, 3);
  const Graph graph = std::move(net).finish(11);
  const Layer& head = graph.layers.at(static_cast<std::size_t>(x));
  EXPECT_EQ(head.output, (Shape{7, 3}));
  EXPECT_EQ(head.cost.forward_ops, 2.0 * 7 * 5 * 3);
  EXPECT_EQ(head.cost.forward_elements, 7.0 * 5 + 7 * 3);
  EXPECT_EQ(head.cost.backward_elements, 2 * head.cost.forward_elements);
}

TEST(Builder, AForkAddsItsGradients) {
  Builder net("test");
  const int forked = net.conv2d("conv", net.image(4), {.channels = 2});
  const int left = net.activation(Op::relu, "relu", forked);
  net.add("add", left, forked);
  const Graph graph = std::move(net).finish(0);
  const double elements = 2 * 4 * 4;
  const double weight_gradient = 3 * 4 * 4 + elements;
  EXPECT_EQ(graph.layers.at(static_cast<std::size_t>(forked)).cost.backward_elements, weight_gradient + 3 * elements);
}

TEST(Builder, ChunksSplitAndConcatJoinsChannels) {
  Builder net("test");
  const int x = net.conv2d("conv", net.image(4), {.channels = 6});
  const int left = net.chunk("left", x, 0, 2);
  const int right = net.chunk("right", x, 1, 2);
  EXPECT_EQ(net.output(left), (Shape{3, 4, 4}));
  EXPECT_EQ(net.output(net.concat("join", {left, right, x})), (Shape{12, 4, 4}));
}

TEST(Builder, AnImageThatIsTooSmallNamesTheLayer) {
  Builder net("tiny");
  const int x = net.image(4);
  EXPECT_EQ(message_of<UsageError>([&] { net.conv2d("conv9", x, {.channels = 1, .kernel = 5}); }),
            "tiny cannot take images of 4 pixels: nothing is left for its layer 'conv9'");
}

}  // namespace
}  // namespace stash
