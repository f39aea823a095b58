#include <fmt/format.h>

#include "stash/models/builder.h"
#include "stash/models/families.h"

namespace stash {
namespace {

int conv_relu(Builder& net, int x, int index, const Convolution& spec) {
  x = net.conv2d(fmt::format("features.{}", index), x, spec);
  return net.activation(Op::relu, fmt::format("features.{}", index + 1), x);
}

int pool(Builder& net, int x, int index) {
  return net.max_pool2d(fmt::format("features.{}", index), x, {.kernel = 3, .stride = 2});
}

int hidden(Builder& net, int x, int index) {
  x = net.dropout(fmt::format("classifier.{}", index), x, 0.5);
  x = net.linear(fmt::format("classifier.{}", index + 1), x, 4096);
  return net.activation(Op::relu, fmt::format("classifier.{}", index + 2), x);
}

}  // namespace

Graph make_alexnet(const InputSize& input) {
  Builder net("alexnet");
  int x = net.image(input.image_size);
  x = conv_relu(net, x, 0, {.channels = 64, .kernel = 11, .stride = 4, .padding = 2, .bias = true});
  x = pool(net, x, 2);
  x = conv_relu(net, x, 3, {.channels = 192, .kernel = 5, .padding = 2, .bias = true});
  x = pool(net, x, 5);
  x = conv_relu(net, x, 6, {.channels = 384, .kernel = 3, .padding = 1, .bias = true});
  x = conv_relu(net, x, 8, {.channels = 256, .kernel = 3, .padding = 1, .bias = true});
  x = conv_relu(net, x, 10, {.channels = 256, .kernel = 3, .padding = 1, .bias = true});
  x = pool(net, x, 12);
  x = net.flatten(net.adaptive_avg_pool2d("avgpool", x, 6));
  x = hidden(net, x, 0);
  x = hidden(net, x, 3);
  net.loss(Op::classification_loss, net.linear("classifier.6", x, kImageNetClasses));
  return std::move(net).finish(kImageNetClasses);
}

}  // namespace stash
