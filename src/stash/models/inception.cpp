#include "stash/models/builder.h"
#include "stash/models/families.h"

namespace stash {
namespace {

constexpr double kInceptionEpsilon = 0.001;
constexpr double kInceptionDropout = 0.5;
constexpr double kAuxiliaryWeight = 0.4;  // of the second head's loss, as published

constexpr Convolution kRow7{.kernel = 1, .padding = 0, .kernel_width = 7, .padding_width = 3};
constexpr Convolution kColumn7{.kernel = 7, .padding = 3, .kernel_width = 1, .padding_width = 0};
constexpr Convolution kRow3{.kernel = 1, .padding = 0, .kernel_width = 3, .padding_width = 1};
constexpr Convolution kColumn3{.kernel = 3, .padding = 1, .kernel_width = 1, .padding_width = 0};

Convolution with_channels(Convolution spec, int channels) {
  spec.channels = channels;
  return spec;
}

// Torchvision's names: a block is Mixed_<stage>, its branches are numbered.
class Inception {
 public:
  Graph make(int image_size) && {
    int x = stem(net_.image(image_size));
    for (const auto& [name, pooled] : {std::pair{"5b", 32}, {"5c", 64}, {"5d", 64}})
      x = block_a(mixed(name), x, pooled);
    x = block_b(mixed("6a"), x);
    for (const auto& [name, inner] : {std::pair{"6b", 128}, {"6c", 160}, {"6d", 160}, {"6e", 192}}) {
      x = block_c(mixed(name), x, inner);
    }
    const int auxiliary = auxiliary_head(x);
    x = block_d(mixed("7a"), x);
    x = block_e(mixed("7c"), block_e(mixed("7b"), x));
    x = net_.dropout("dropout", net_.adaptive_avg_pool2d("avgpool", x, 1), kInceptionDropout);
    x = net_.linear("fc", net_.flatten(x), kImageNetClasses);
    net_.loss(Op::classification_loss, x, auxiliary, kAuxiliaryWeight);
    return std::move(net_).finish(kImageNetClasses);
  }

 private:
  static std::string mixed(const char* name) { return std::string("Mixed_") + name + "."; }

  int conv(const std::string& name, int x, const Convolution& spec) {
    x = net_.batch_norm(name + ".bn", net_.conv2d(name + ".conv", x, spec), kInceptionEpsilon);
    return net_.activation(Op::relu, name + ".relu", x);
  }
  int conv1(const std::string& name, int x, int channels) { return conv(name, x, {.channels = channels}); }
  int conv3(const std::string& name, int x, int channels) {
    return conv(name, x, {.channels = channels, .kernel = 3, .padding = 1});
  }
  int halving_conv3(const std::string& name, int x, int channels) {
    return conv(name, x, {.channels = channels, .kernel = 3, .stride = 2});
  }
  int halving_pool(const std::string& name, int x) { return net_.max_pool2d(name, x, {.kernel = 3, .stride = 2}); }
  int pooled_branch(const std::string& name, int x, int channels) {
    x = net_.avg_pool2d(name + "avg_pool", x, {.kernel = 3, .padding = 1});
    return conv1(name + "branch_pool", x, channels);
  }

  int stem(int x) {
    x = halving_conv3("Conv2d_1a_3x3", x, 32);
    x = conv("Conv2d_2a_3x3", x, {.channels = 32, .kernel = 3});
    x = halving_pool("maxpool1", conv3("Conv2d_2b_3x3", x, 64));
    x = conv("Conv2d_4a_3x3", conv1("Conv2d_3b_1x1", x, 80), {.channels = 192, .kernel = 3});
    return halving_pool("maxpool2", x);
  }

  int block_a(const std::string& name, int x, int pooled) {
    const int one = conv1(name + "branch1x1", x, 64);
    const int five =
        conv(name + "branch5x5_2", conv1(name + "branch5x5_1", x, 48), {.channels = 64, .kernel = 5, .padding = 2});
    int three = conv3(name + "branch3x3dbl_2", conv1(name + "branch3x3dbl_1", x, 64), 96);
    three = conv3(name + "branch3x3dbl_3", three, 96);
    return net_.concat(name + "concat", {one, five, three, pooled_branch(name, x, pooled)});
  }

  int block_b(const std::string& name, int x) {
    const int three = halving_conv3(name + "branch3x3", x, 384);
    int twice = conv3(name + "branch3x3dbl_2", conv1(name + "branch3x3dbl_1", x, 64), 96);
    twice = halving_conv3(name + "branch3x3dbl_3", twice, 96);
    return net_.concat(name + "concat", {three, twice, halving_pool(name + "max_pool", x)});
  }

  int block_c(const std::string& name, int x, int inner) {
    const int one = conv1(name + "branch1x1", x, 192);
    int seven = conv(name + "branch7x7_2", conv1(name + "branch7x7_1", x, inner), with_channels(kRow7, inner));
    seven = conv(name + "branch7x7_3", seven, with_channels(kColumn7, 192));
    int twice = conv(name + "branch7x7dbl_2", conv1(name + "branch7x7dbl_1", x, inner), with_channels(kColumn7, inner));
    twice = conv(name + "branch7x7dbl_3", twice, with_channels(kRow7, inner));
    twice = conv(name + "branch7x7dbl_4", twice, with_channels(kColumn7, inner));
    twice = conv(name + "branch7x7dbl_5", twice, with_channels(kRow7, 192));
    return net_.concat(name + "concat", {one, seven, twice, pooled_branch(name, x, 192)});
  }

  int block_d(const std::string& name, int x) {
    const int three = halving_conv3(name + "branch3x3_2", conv1(name + "branch3x3_1", x, 192), 320);
    int seven = conv(name + "branch7x7x3_2", conv1(name + "branch7x7x3_1", x, 192), with_channels(kRow7, 192));
    seven = conv(name + "branch7x7x3_3", seven, with_channels(kColumn7, 192));
    seven = halving_conv3(name + "branch7x7x3_4", seven, 192);
    return net_.concat(name + "concat", {three, seven, halving_pool(name + "max_pool", x)});
  }

  int block_e(const std::string& name, int x) {
    const int one = conv1(name + "branch1x1", x, 320);
    const int three = row_and_column(name + "branch3x3_2", conv1(name + "branch3x3_1", x, 384));
    const int twice = row_and_column(name + "branch3x3dbl_3",
                                     conv3(name + "branch3x3dbl_2", conv1(name + "branch3x3dbl_1", x, 448), 384));
    return net_.concat(name + "concat", {one, three, twice, pooled_branch(name, x, 192)});
  }

  int row_and_column(const std::string& name, int x) {
    const int row = conv(name + "a", x, with_channels(kRow3, 384));
    const int column = conv(name + "b", x, with_channels(kColumn3, 384));
    return net_.concat(name + ".concat", {row, column});
  }

  int auxiliary_head(int x) {
    x = net_.avg_pool2d("AuxLogits.avg_pool", x, {.kernel = 5, .stride = 3});
    x = conv("AuxLogits.conv1", conv1("AuxLogits.conv0", x, 128), {.channels = 768, .kernel = 5});
    x = net_.flatten(net_.adaptive_avg_pool2d("AuxLogits.avgpool", x, 1), "AuxLogits.flatten");
    return net_.linear("AuxLogits.fc", x, kImageNetClasses);
  }

  Builder net_{"inception_v3"};
};

}  // namespace

Graph make_inception_v3(const InputSize& input) { return Inception().make(input.image_size); }

}  // namespace stash
