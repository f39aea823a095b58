#include <fmt/format.h>

#include "stash/models/builder.h"
#include "stash/models/families.h"

namespace stash {
namespace {

int conv_relu(Builder& net, const std::string& conv, const std::string& relu, int x, const Convolution& spec) {
  return net.activation(Op::relu, relu, net.conv2d(conv, x, spec));
}

// Squeezes to few channels, then expands with 1x1 and 3x3 side by side, `expanded` channels each.
int fire(Builder& net, int index, int x, int squeezed, int expanded) {
  const std::string name = fmt::format("features.{}.", index);
  x = conv_relu(net, name + "squeeze", name + "squeeze_activation", x, {.channels = squeezed, .bias = true});
  const int narrow =
      conv_relu(net, name + "expand1x1", name + "expand1x1_activation", x, {.channels = expanded, .bias = true});
  const int wide = conv_relu(net, name + "expand3x3", name + "expand3x3_activation", x,
                             {.channels = expanded, .kernel = 3, .padding = 1, .bias = true});
  return net.concat(name + "concat", {narrow, wide});
}

int ceil_pool(Builder& net, int index, int x) {
  return net.max_pool2d(fmt::format("features.{}", index), x, {.kernel = 3, .stride = 2, .ceil_mode = true});
}

}  // namespace

Graph make_squeezenet1_0(const InputSize& input) {
  Builder net("squeezenet1_0");
  int x = net.image(input.image_size);
  x = conv_relu(net, "features.0", "features.1", x, {.channels = 96, .kernel = 7, .stride = 2, .bias = true});
  x = ceil_pool(net, 2, x);
  x = fire(net, 3, x, 16, 64);
  x = fire(net, 4, x, 16, 64);
  x = fire(net, 5, x, 32, 128);
  x = ceil_pool(net, 6, x);
  x = fire(net, 7, x, 32, 128);
  x = fire(net, 8, x, 48, 192);
  x = fire(net, 9, x, 48, 192);
  x = fire(net, 10, x, 64, 256);
  x = ceil_pool(net, 11, x);
  x = fire(net, 12, x, 64, 256);
  x = net.dropout("classifier.0", x, 0.5);
  x = conv_relu(net, "classifier.1", "classifier.2", x, {.channels = kImageNetClasses, .bias = true});
  x = net.flatten(net.adaptive_avg_pool2d("classifier.3", x, 1));
  net.loss(Op::classification_loss, x);
  return std::move(net).finish(kImageNetClasses);
}

}  // namespace stash
