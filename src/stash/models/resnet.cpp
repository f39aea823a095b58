#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "stash/models/builder.h"
#include "stash/models/families.h"

namespace stash {
namespace {

constexpr std::array kStageChannels{64, 128, 256, 512};
constexpr int kBottleneckExpansion = 4;

struct Layout {
  std::array<int, kStageChannels.size()> blocks;  // of each stage
  bool bottleneck = false;
};

// Depths 10, 12 and 16 have no published layout: blocks are taken away from resnet18's last stages first.
Layout layout_of(int depth) {
  switch (depth) {
    case 10:
      return {{1, 1, 1, 1}};
    case 12:
      return {{2, 1, 1, 1}};
    case 16:
      return {{2, 2, 2, 1}};
    case 18:
      return {{2, 2, 2, 2}};
    case 34:
      return {{3, 4, 6, 3}};
    case 50:
      return {{3, 4, 6, 3}, true};
    case 101:
      return {{3, 4, 23, 3}, true};
    case 152:
      return {{3, 8, 36, 3}, true};
    default:
      throw std::logic_error("no ResNet of this depth");
  }
}

std::string name_of(int depth, ResNetVariant variant) {
  const char* suffix = variant == ResNetVariant::nobn         ? "_nobn"
                       : variant == ResNetVariant::noshortcut ? "_noshortcut"
                                                              : "";
  return fmt::format("resnet{}{}", depth, suffix);
}

class ResNet {
 public:
  ResNet(int depth, ResNetVariant variant)
      : layout_(layout_of(depth)), variant_(variant), net_(name_of(depth, variant)) {}

  Graph make(int image_size) && {
    int x = net_.image(image_size);
    x = conv_norm("conv1", "bn1", x, {.channels = 64, .kernel = 7, .stride = 2, .padding = 3});
    x = net_.activation(Op::relu, "relu", x);
    x = net_.max_pool2d("maxpool", x, {.kernel = 3, .stride = 2, .padding = 1});
    for (std::size_t i = 0; i < kStageChannels.size(); ++i) x = stage(i, x);
    x = net_.flatten(net_.adaptive_avg_pool2d("avgpool", x, 1));
    net_.loss(Op::classification_loss, net_.linear("fc", x, kImageNetClasses));
    return std::move(net_).finish(kImageNetClasses);
  }

 private:
  // Without batch norm the convolution gets the bias that the norm would have added.
  int conv_norm(const std::string& conv, const std::string& norm, int x, Convolution spec) {
    spec.bias = variant_ == ResNetVariant::nobn;
    x = net_.conv2d(conv, x, spec);
    return spec.bias ? x : net_.batch_norm(norm, x);
  }

  int stage(std::size_t index, int x) {
    for (int i = 0; i < layout_.blocks[index]; ++i) {
      const int stride = index > 0 && i == 0 ? 2 : 1;
      x = block(fmt::format("layer{}.{}.", index + 1, i), x, kStageChannels[index], stride);
    }
    return x;
  }

  int block(const std::string& name, int input, int channels, int stride) {
    int x = layout_.bottleneck ? bottleneck(name, input, channels, stride) : basic(name, input, channels, stride);
    if (variant_ != ResNetVariant::noshortcut) {
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
    x = conv_norm(name + "conv1", name + "bn1", x, {.channels = channels});
    x = net_.activation(Op::relu, name + "relu1", x);
    x = conv_norm(name + "conv2", name + "bn2", x, {.channels = channels, .kernel = 3, .stride = stride, .padding = 1});
    x = net_.activation(Op::relu, name + "relu2", x);
    return conv_norm(name + "conv3", name + "bn3", x, {.channels = channels * kBottleneckExpansion});
  }

  int shortcut(const std::string& name, int input, int channels, int stride) {
    if (stride == 1 && net_.output(input)[0] == channels) return input;
    return conv_norm(name + "downsample.0", name + "downsample.1", input, {.channels = channels, .stride = stride});
  }

  Layout layout_;
  ResNetVariant variant_;
  Builder net_;
};

}  // namespace

Graph make_resnet(int depth, ResNetVariant variant, const ModelOptions& options) {
  return ResNet(depth, variant).make(options.image_size);
}

}  // namespace stash
