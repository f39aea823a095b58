#include <fmt/format.h>

#include <array>

#include "stash/models/builder.h"
#include "stash/models/families.h"

namespace stash {
namespace {

int conv_norm_relu6(Builder& net, const std::string& name, int x, const Convolution& spec) {
  x = net.conv2d(name + ".0", x, spec);
  x = net.batch_norm(name + ".1", x);
  return net.activation(Op::relu6, name + ".2", x);
}

// Expands the channels, filters each alone, projects back; adds the input where the shape is kept.
int inverted_residual(Builder& net, const std::string& name, int input, int expansion, int channels, int stride) {
  const int in = static_cast<int>(net.output(input)[0]);
  const int wide = in * expansion;
  int x = input;
  int index = 0;
  const auto next_name = [&] { return fmt::format("{}.conv.{}", name, index++); };
  if (expansion != 1) x = conv_norm_relu6(net, next_name(), x, {.channels = wide});
  x = conv_norm_relu6(net, next_name(), x,
                      {.channels = wide, .kernel = 3, .stride = stride, .padding = 1, .groups = wide});
  x = net.conv2d(next_name(), x, {.channels = channels});
  x = net.batch_norm(next_name(), x);
  return stride == 1 && in == channels ? net.add(name + ".add", input, x) : x;
}

struct StageSpec {
  int expansion, channels, units, stride;
};
constexpr std::array kStages{StageSpec{1, 16, 1, 1}, StageSpec{6, 24, 2, 2}, StageSpec{6, 32, 3, 2},
                             StageSpec{6, 64, 4, 2}, StageSpec{6, 96, 3, 1}, StageSpec{6, 160, 3, 2},
                             StageSpec{6, 320, 1, 1}};

}  // namespace

Graph make_mobilenet_v2(const InputSize& input) {
  Builder net("mobilenet_v2");
  int index = 0;
  const auto next_name = [&index] { return fmt::format("features.{}", index++); };
  int x = net.image(input.image_size);
  x = conv_norm_relu6(net, next_name(), x, {.channels = 32, .kernel = 3, .stride = 2, .padding = 1});
  for (const StageSpec& stage : kStages) {
    for (int i = 0; i < stage.units; ++i) {
      x = inverted_residual(net, next_name(), x, stage.expansion, stage.channels, i == 0 ? stage.stride : 1);
    }
  }
  x = conv_norm_relu6(net, next_name(), x, {.channels = 1280});
  x = net.flatten(net.adaptive_avg_pool2d("avgpool", x, 1));
  x = net.dropout("classifier.0", x, 0.2);
  net.loss(Op::classification_loss, net.linear("classifier.1", x, kImageNetClasses));
  return std::move(net).finish(kImageNetClasses);
}

}  // namespace stash
