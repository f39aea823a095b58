#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stash/models/builder.h"
#include "stash/models/families.h"

namespace stash {
namespace {

constexpr int kStemChannels = 32;
constexpr int kHeadExpansion = 4;      // channels of the last convolution over those of the last stage
constexpr int kSqueeze = 4;            // a block's input channels over those between its two squeeze convolutions
constexpr double kLeftOutAtEnd = 0.2;  // samples that the last block leaves out; earlier blocks fewer

struct MobileStage {
  int expansion, kernel, stride, channels, blocks;
};
constexpr std::array kMobileStages{MobileStage{1, 3, 1, 16, 1},  MobileStage{6, 3, 2, 24, 2},
                                   MobileStage{6, 5, 2, 40, 2},  MobileStage{6, 3, 2, 80, 3},
                                   MobileStage{6, 5, 1, 112, 3}, MobileStage{6, 5, 2, 192, 4},
                                   MobileStage{6, 3, 1, 320, 1}};

// To a multiple of 8, and not below nine tenths of what was asked for.
int rounded_channels(double channels) {
  constexpr int kMultiple = 8;
  const int rounded = std::max(kMultiple, static_cast<int>(channels + kMultiple / 2.0) / kMultiple * kMultiple);
  return rounded < 0.9 * channels ? rounded + kMultiple : rounded;
}

class EfficientNet {
 public:
  explicit EfficientNet(const EfficientNetSize& size) : size_(size), net_(std::string(size.name)) {}

  Graph make(int image_size) && {
    int x = net_.image(image_size);
    x = conv_norm("features.0", x, {.channels = channels(kStemChannels), .kernel = 3, .stride = 2, .padding = 1});
    int index = 1;
    for (const MobileStage& spec : kMobileStages) x = stage(fmt::format("features.{}", index++), x, spec);
    x = conv_norm("features.8", x, {.channels = kHeadExpansion * channels(kMobileStages.back().channels)});
    x = net_.flatten(net_.adaptive_avg_pool2d("avgpool", x, 1));
    x = net_.dropout("classifier.0", x, size_.dropout);
    net_.loss(Op::classification_loss, net_.linear("classifier.1", x, kImageNetClasses));
    return std::move(net_).finish(kImageNetClasses);
  }

 private:
  int channels(int of_b0) const { return rounded_channels(of_b0 * size_.width); }
  int blocks(int of_b0) const { return static_cast<int>(std::ceil(of_b0 * size_.depth)); }

  int all_blocks() const {
    int sum = 0;
    for (const MobileStage& spec : kMobileStages) sum += blocks(spec.blocks);
    return sum;
  }

  int conv_norm(const std::string& name, int x, const Convolution& spec, bool active = true) {
    x = net_.batch_norm(name + ".1", net_.conv2d(name + ".0", x, spec));
    return active ? net_.activation(Op::silu, name + ".2", x) : x;
  }

  int stage(const std::string& name, int x, const MobileStage& spec) {
    for (int i = 0; i < blocks(spec.blocks); ++i) {
      x = block(fmt::format("{}.{}", name, i), x, spec, i == 0 ? spec.stride : 1);
    }
    return x;
  }

  // Expands the channels, filters each alone, weighs them, projects back.
  int block(const std::string& name, int input, const MobileStage& spec, int stride) {
    const int in = static_cast<int>(net_.output(input)[0]), wide = in * spec.expansion;
    int index = 0;
    const auto next_name = [&] { return fmt::format("{}.block.{}", name, index++); };
    int x = input;
    if (spec.expansion != 1) x = conv_norm(next_name(), x, {.channels = wide});
    const int padding = (spec.kernel - 1) / 2;
    x = conv_norm(next_name(), x,
                  {.channels = wide, .kernel = spec.kernel, .stride = stride, .padding = padding, .groups = wide});
    x = squeeze_excitation(next_name(), x, in / kSqueeze);
    x = conv_norm(next_name(), x, {.channels = channels(spec.channels)}, false);
    const double left_out = kLeftOutAtEnd * block_++ / all_blocks();
    if (stride != 1 || net_.output(x)[0] != in) return x;
    if (left_out > 0) x = net_.stochastic_depth(name + ".stochastic_depth", x, left_out);
    return net_.add(name + ".add", x, input);
  }

  int squeeze_excitation(const std::string& name, int x, int squeezed) {
    const int wide = static_cast<int>(net_.output(x)[0]);
    int factors = net_.adaptive_avg_pool2d(name + ".avgpool", x, 1);
    factors = net_.conv2d(name + ".fc1", factors, {.channels = std::max(1, squeezed), .bias = true});
    factors = net_.activation(Op::silu, name + ".activation", factors);
    factors = net_.conv2d(name + ".fc2", factors, {.channels = wide, .bias = true});
    factors = net_.activation(Op::sigmoid, name + ".scale_activation", factors);
    return net_.scale(name + ".scale", x, factors);
  }

  EfficientNetSize size_;
  int block_ = 0;  // blocks made so far
  Builder net_;
};

}  // namespace

Graph make_efficientnet(const EfficientNetSize& size, const InputSize& input) {
  return EfficientNet(size).make(input.image_size);
}

}  // namespace stash
