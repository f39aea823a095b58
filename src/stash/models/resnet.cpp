#include <fmt/format.h>

#include <array>
#include <numeric>
#include <optional>
#include <span>

#include "stash/models/builder.h"
#include "stash/models/families.h"

namespace stash {
namespace {

constexpr std::array kResNetStageChannels{64, 128, 256, 512};
constexpr int kBottleneckExpansion = 4;

using Blocks = std::array<int, kResNetStageChannels.size()>;  // of each stage

constexpr std::array<Blocks, 3> kBasicLayouts{{{1, 1, 1, 1}, {2, 2, 2, 2}, {3, 4, 6, 3}}};
constexpr std::array<Blocks, 4> kBottleneckLayouts{{{2, 2, 2, 2}, {3, 4, 6, 3}, {3, 4, 23, 3}, {3, 8, 36, 3}}};
constexpr int kDeepestOfBasicBlocks = 34;

struct Layout {
  Blocks blocks{};
  bool bottleneck = false;
};

int count(const Blocks& blocks) { return std::accumulate(blocks.begin(), blocks.end(), 0); }

// From one published layout to the next, blocks are added to the stages in turn.
std::optional<Blocks> spread_blocks(int wanted, std::span<const Blocks> published) {
  Blocks blocks = published.front();
  for (const Blocks& next : published) {
    while (blocks != next) {
      for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
        if (count(blocks) == wanted) return blocks;
        if (blocks[stage] < next[stage]) ++blocks[stage];
      }
    }
  }
  return count(blocks) == wanted ? std::optional(blocks) : std::nullopt;
}

// The first convolution and the last product are two layers; a block has two or three.
std::optional<Layout> layout_of(int depth) {
  const bool bottleneck = depth > kDeepestOfBasicBlocks;
  const int block_layers = bottleneck ? 3 : 2;
  if (depth < 2 || (depth - 2) % block_layers != 0) return std::nullopt;
  const int wanted = (depth - 2) / block_layers;
  const auto blocks = bottleneck ? spread_blocks(wanted, kBottleneckLayouts) : spread_blocks(wanted, kBasicLayouts);
  return blocks ? std::optional(Layout{*blocks, bottleneck}) : std::nullopt;
}

std::string name_of(const ResNetSize& size) {
  if (size.groups > 1) return fmt::format("resnext{}_{}x{}d", size.depth, size.groups, size.group_channels);
  return fmt::format("resnet{}{}{}", size.depth, size.batch_norm ? "" : "_nobn", size.shortcuts ? "" : "_noshortcut");
}

class ResNet {
 public:
  explicit ResNet(const ResNetSize& size) : layout_(layout_of(size.depth).value()), size_(size), net_(name_of(size)) {}

  Graph make(int image_size) && {
    int x = net_.image(image_size);
    x = conv_norm("conv1", "bn1", x, {.channels = 64, .kernel = 7, .stride = 2, .padding = 3});
    x = net_.activation(Op::relu, "relu", x);
    x = net_.max_pool2d("maxpool", x, {.kernel = 3, .stride = 2, .padding = 1});
    for (std::size_t i = 0; i < kResNetStageChannels.size(); ++i) x = stage(i, x);
    x = net_.flatten(net_.adaptive_avg_pool2d("avgpool", x, 1));
    net_.loss(Op::classification_loss, net_.linear("fc", x, kImageNetClasses));
    return std::move(net_).finish(kImageNetClasses);
  }

 private:
  // Without batch norm the convolution gets the bias that the norm would have added.
  int conv_norm(const std::string& conv, const std::string& norm, int x, Convolution spec) {
    spec.bias = !size_.batch_norm;
    x = net_.conv2d(conv, x, spec);
    return spec.bias ? x : net_.batch_norm(norm, x);
  }

  int stage(std::size_t index, int x) {
    for (int i = 0; i < layout_.blocks[index]; ++i) {
      const int stride = index > 0 && i == 0 ? 2 : 1;
      x = block(fmt::format("layer{}.{}.", index + 1, i), x, kResNetStageChannels[index], stride);
    }
    return x;
  }

  int block(const std::string& name, int input, int channels, int stride) {
    int x = layout_.bottleneck ? bottleneck(name, input, channels, stride) : basic(name, input, channels, stride);
    if (size_.shortcuts) {
      const int left = shortcut(name, input, static_cast<int>(net_.output(x)[0]), stride);
      x = net_.add(name + "add", x, left);
    }
    return net_.activation(Op::relu, name + (layout_.bottleneck ? "relu3" : "relu2"), x);
  }

  int basic(const std::string& name, int x, int channels, int stride) {
    x = conv_norm(name + "conv1", name + "bn1", x, {.channels = channels, .kernel = 3, .stride = stride, .padding = 1});
    x = net_.activation(Op::relu, name + "relu1", x);
    return conv_norm(name + "conv2", name + "bn2", x, {.channels = channels, .kernel = 3, .padding = 1});
  }

  int bottleneck(const std::string& name, int x, int channels, int stride) {
    const int inner = channels / kResNetStageChannels[0] * size_.groups * size_.group_channels;
    x = conv_norm(name + "conv1", name + "bn1", x, {.channels = inner});
    x = net_.activation(Op::relu, name + "relu1", x);
    x = conv_norm(name + "conv2", name + "bn2", x,
                  {.channels = inner, .kernel = 3, .stride = stride, .padding = 1, .groups = size_.groups});
    x = net_.activation(Op::relu, name + "relu2", x);
    return conv_norm(name + "conv3", name + "bn3", x, {.channels = channels * kBottleneckExpansion});
  }

  int shortcut(const std::string& name, int input, int channels, int stride) {
    if (stride == 1 && net_.output(input)[0] == channels) return input;
    return conv_norm(name + "downsample.0", name + "downsample.1", input, {.channels = channels, .stride = stride});
  }

  Layout layout_;
  ResNetSize size_;
  Builder net_;
};

}  // namespace

bool is_resnet_depth(int depth) { return layout_of(depth).has_value(); }

Graph make_resnet(const ResNetSize& size, const InputSize& input) { return ResNet(size).make(input.image_size); }

}  // namespace stash
