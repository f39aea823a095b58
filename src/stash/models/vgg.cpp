#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "stash/models/builder.h"
#include "stash/models/families.h"

namespace stash {
namespace {

constexpr std::array kStageChannels{64, 128, 256, 512, 512};
using StageLayout = std::array<int, kStageChannels.size()>;  // convolutions of each stage

StageLayout stage_layout(int depth) {
  switch (depth) {
    case 11:
      return {1, 1, 2, 2, 2};
    case 13:
      return {2, 2, 2, 2, 2};
    case 16:
      return {2, 2, 3, 3, 3};
    case 19:
      return {2, 2, 4, 4, 4};
    default:
      throw std::logic_error("no VGG of this depth");
  }
}

int features(Builder& net, int x, const StageLayout& layout) {
  int index = 0;
  const auto next_name = [&index] { return fmt::format("features.{}", index++); };
  for (std::size_t stage = 0; stage < layout.size(); ++stage) {
    for (int i = 0; i < layout[stage]; ++i) {
      x = net.conv2d(next_name(), x, {.channels = kStageChannels[stage], .kernel = 3, .padding = 1, .bias = true});
      x = net.activation(Op::relu, next_name(), x);
    }
    x = net.max_pool2d(next_name(), x, {.kernel = 2, .stride = 2});
  }
  return x;
}

int hidden(Builder& net, int x, int index) {
  x = net.linear(fmt::format("classifier.{}", index), x, 4096);
  x = net.activation(Op::relu, fmt::format("classifier.{}", index + 1), x);
  return net.dropout(fmt::format("classifier.{}", index + 2), x, 0.5);
}

}  // namespace

Graph make_vgg(int depth, const ModelOptions& options) {
  Builder net(fmt::format("vgg{}", depth));
  int x = features(net, net.image(options.image_size), stage_layout(depth));
  x = net.flatten(net.adaptive_avg_pool2d("avgpool", x, 7));
  x = hidden(net, x, 0);
  x = hidden(net, x, 3);
  net.loss(Op::classification_loss, net.linear("classifier.6", x, kImageNetClasses));
  return std::move(net).finish(kImageNetClasses);
}

}  // namespace stash
