#pragma once

#include "stash/models/models.h"

namespace stash {

// One function per family of networks; sizes were checked by make_model. UsageError where the network itself
// cannot take a size.

inline constexpr int kImageNetClasses = 1000;

Graph make_alexnet(const ModelOptions& options);
Graph make_squeezenet1_0(const ModelOptions& options);
Graph make_shufflenet_v2_x0_5(const ModelOptions& options);
Graph make_mobilenet_v2(const ModelOptions& options);
Graph make_vit_b_16(const ModelOptions& options);

// Basic blocks up to depth 34, bottlenecks from there to 152. Depths without a published layout have the next smaller
// one's with blocks added to its stages in turn, up to the next larger one's.
struct ResNetSize {
  int depth = 0;
  bool batch_norm = true;  // without it, convolutions have a bias
  bool shortcuts = true;
};
bool is_resnet_depth(int depth);
Graph make_resnet(const ResNetSize& size, const ModelOptions& options);

// Without batch norm. The channels of every convolution and the hidden units are those published, times `width`.
struct VggSize {
  int depth = 0;  // 11, 13, 16, 19
  double width = 1;
};
Graph make_vgg(const VggSize& size, const ModelOptions& options);

struct BertSize {
  std::string_view name;
  int layers = 0;
  int hidden = 0;
  int heads = 0;
};
Graph make_bert(const BertSize& size, const ModelOptions& options);

struct GptSize {
  std::string_view name;
  int layers = 0;
  int hidden = 0;
  int heads = 0;
  int max_seq_len = 0;  // learned positions; the default length too
  int vocabulary = 0;
  bool fused_attention = true;
};
Graph make_gpt(const GptSize& size, const ModelOptions& options);

}  // namespace stash
