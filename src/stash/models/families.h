#pragma once

#include "stash/models/models.h"

namespace stash {

// One function per family of networks; sizes were checked by make_model. UsageError where the network itself
// cannot take a size.

inline constexpr int kImageNetClasses = 1000;

Graph make_alexnet(const InputSize& input);
Graph make_squeezenet1_0(const InputSize& input);
Graph make_shufflenet_v2_x0_5(const InputSize& input);
Graph make_mobilenet_v2(const InputSize& input);
Graph make_vit_b_16(const InputSize& input);

// With the auxiliary head that torchvision trains with.
Graph make_inception_v3(const InputSize& input);

// Basic blocks up to depth 34, bottlenecks from there to 152. Depths without a published layout have the next smaller
// one's with blocks added to its stages in turn, up to the next larger one's.
struct ResNetSize {
  int depth = 0;
  bool batch_norm = true;  // without it, convolutions have a bias
  bool shortcuts = true;
  int groups = 1;           // of a bottleneck's 3x3 convolution
  int group_channels = 64;  // of each group in the first stage
};
bool is_resnet_depth(int depth);
Graph make_resnet(const ResNetSize& size, const InputSize& input);

// Without batch norm. The channels of every convolution and the hidden units are those published, times `width`.
struct VggSize {
  int depth = 0;  // 11, 13, 16, 19
  double width = 1;
};
Graph make_vgg(const VggSize& size, const InputSize& input);

struct BertSize {
  std::string_view name;
  int layers = 0;
  int hidden = 0;
  int heads = 0;
};

// With the head for question answering, or with the two heads of pre-training: masked words and next sentence.
Graph make_bert(const BertSize& size, const InputSize& input);
Graph make_bert_pretrain(const BertSize& size, const InputSize& input);

// The published widths, depths and dropouts of the family; torchvision's layers.
struct EfficientNetSize {
  std::string_view name;
  double width = 1;
  double depth = 1;
  double dropout = 0;
};
Graph make_efficientnet(const EfficientNetSize& size, const InputSize& input);

struct GptSize {
  std::string_view name;
  int layers = 0;
  int hidden = 0;
  int heads = 0;
  int max_seq_len = 0;  // learned positions; the default length too
  int vocabulary = 0;
  bool fused_attention = true;
};
Graph make_gpt(const GptSize& size, const InputSize& input);

}  // namespace stash
