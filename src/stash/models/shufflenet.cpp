#include <fmt/format.h>

#include "stash/models/builder.h"
#include "stash/models/families.h"

namespace stash {
namespace {

// A Sequential whose members are numbered: convolution, batch norm and, mostly, relu.
struct Branch {
  Builder& net;
  std::string name;
  int x;
  int index = 0;

  std::string next_name() { return fmt::format("{}.{}", name, index++); }
  void conv_norm(const Convolution& spec) {
    x = net.conv2d(next_name(), x, spec);
    x = net.batch_norm(next_name(), x);
  }
  void depthwise(int stride) {
    const int channels = static_cast<int>(net.output(x)[0]);
    conv_norm({.channels = channels, .kernel = 3, .stride = stride, .padding = 1, .groups = channels});
  }
  void relu() { x = net.activation(Op::relu, next_name(), x); }
};

int shortcut_branch(Builder& net, const std::string& name, int x, int channels) {
  Branch branch{net, name, x};
  branch.depthwise(2);
  branch.conv_norm({.channels = channels});
  branch.relu();
  return branch.x;
}

int main_branch(Builder& net, const std::string& name, int x, int channels, int stride) {
  Branch branch{net, name, x};
  branch.conv_norm({.channels = channels});
  branch.relu();
  branch.depthwise(stride);
  branch.conv_norm({.channels = channels});
  branch.relu();
  return branch.x;
}

// Half of the channels pass by unchanged, except in a stage's first unit, which halves the image.
int unit(Builder& net, const std::string& name, int x, int channels, bool first) {
  const int half = channels / 2;
  int left = 0;
  int right = x;
  if (first) {
    left = shortcut_branch(net, name + ".branch1", x, half);
  } else {
    left = net.chunk(name + ".chunk1", x, 0, 2);
    right = net.chunk(name + ".chunk2", x, 1, 2);
  }
  right = main_branch(net, name + ".branch2", right, half, first ? 2 : 1);
  return net.channel_shuffle(name + ".shuffle", net.concat(name + ".concat", {left, right}), 2);
}

int stage(Builder& net, const std::string& name, int x, int channels, int units) {
  for (int i = 0; i < units; ++i) x = unit(net, fmt::format("{}.{}", name, i), x, channels, i == 0);
  return x;
}

int conv_norm_relu(Builder& net, const std::string& name, int x, const Convolution& spec) {
  Branch branch{net, name, x};
  branch.conv_norm(spec);
  branch.relu();
  return branch.x;
}

}  // namespace

Graph make_shufflenet_v2_x0_5(const InputSize& input) {
  Builder net("shufflenet_v2_x0_5");
  int x = net.image(input.image_size);
  x = conv_norm_relu(net, "conv1", x, {.channels = 24, .kernel = 3, .stride = 2, .padding = 1});
  x = net.max_pool2d("maxpool", x, {.kernel = 3, .stride = 2, .padding = 1});
  x = stage(net, "stage2", x, 48, 4);
  x = stage(net, "stage3", x, 96, 8);
  x = stage(net, "stage4", x, 192, 4);
  x = conv_norm_relu(net, "conv5", x, {.channels = 1024});
  x = net.linear("fc", net.mean_over_space("mean", x), kImageNetClasses);
  net.loss(Op::classification_loss, x);
  return std::move(net).finish(kImageNetClasses);
}

}  // namespace stash
