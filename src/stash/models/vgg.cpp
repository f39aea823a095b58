#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "stash/models/builder.h"
#include "stash/models/families.h"

namespace stash {
namespace {

constexpr std::array kVggStageChannels{64, 128, 256, 512, 512};
constexpr int kHiddenUnits = 4096;
using StageLayout = std::array<int, kVggStageChannels.size()>;  // convolutions of each stage

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

std::string name_of(const VggSize& size) {
  return fmt::format("vgg{}", size.depth) + (size.width == 1 ? "" : fmt::format("_w{}", size.width));
}

int scaled(int units, double width) { return std::max(1, static_cast<int>(std::lround(units * width))); }

int features(Builder& net, int x, const StageLayout& layout, double width) {
  int index = 0;
  const auto next_name = [&index] { return fmt::format("features.{}", index++); };
  for (std::size_t stage = 0; stage < layout.size(); ++stage) {
    for (int i = 0; i < layout[stage]; ++i) {
      const int channels = scaled(kVggStageChannels[stage], width);
      x = net.conv2d(next_name(), x, {.channels = channels, .kernel = 3, .padding = 1, .bias = true});
      x = net.activation(Op::relu, next_name(), x);
    }
    x = net.max_pool2d(next_name(), x, {.kernel = 2, .stride = 2});
  }
  return x;
}

int hidden(Builder& net, int x, int index, double width) {
  x = net.linear(fmt::format("classifier.{}", index), x, scaled(kHiddenUnits, width));
  x = net.activation(Op::relu, fmt::format("classifier.{}", index + 1), x);
  return net.dropout(fmt::format("classifier.{}", index + 2), x, 0.5);
}

}  // namespace

Graph make_vgg(const VggSize& size, const InputSize& input) {
  Builder net(name_of(size));
  int x = features(net, net.image(input.image_size), stage_layout(size.depth), size.width);
  x = net.flatten(net.adaptive_avg_pool2d("avgpool", x, 7));
  x = hidden(net, x, 0, size.width);
  x = hidden(net, x, 3, size.width);
  net.loss(Op::classification_loss, net.linear("classifier.6", x, kImageNetClasses));
  return std::move(net).finish(kImageNetClasses);
}

}  // namespace stash
