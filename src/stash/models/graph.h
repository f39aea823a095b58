#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/core/script_work.h"

namespace stash {

inline constexpr double kParameterBytes = 4;  // of a trained one, whatever type it is computed in

// Kinds of layers. Shapes are per sample: {channels, height, width}, {tokens, features} or {features}.
enum class Op {
  image,       // input {3, size, size}
  tokens,      // input {seq_len}, whole numbers
  conv2d,      // kernel x kernel_width, stride, padding x padding_width, groups, bias
  batch_norm,  // training statistics; epsilon
  relu,
  relu6,
  gelu,
  silu,
  sigmoid,
  tanh,
  max_pool2d,           // kernel, stride, padding, ceil_mode
  avg_pool2d,           // kernel, stride, padding
  adaptive_avg_pool2d,  // to kernel x kernel
  linear,               // over the last dimension; bias; weight_of >= 0: uses that layer's weight
  add,                  // two inputs
  scale,                // {c, h, w} times {c, 1, 1}
  stochastic_depth,     // leaves whole samples out: ratio
  concat,               // over dimension 0 (channels)
  chunk,                // piece `index` of `groups` equal pieces of dimension 0
  channel_shuffle,      // groups
  dropout,              // ratio
  flatten,
  mean_over_space,      // {c, h, w} -> {c}
  layer_norm,           // over the last dimension
  embedding,            // {seq} -> {seq, features}
  position,             // adds the first rows of a learned {at least tokens, features}
  constant_row,         // adds row 0 of a learned {index, features} to every token (BERT's token types)
  class_token,          // prepends a learned {1, features}
  patches,              // {c, h, w} -> {h * w, c}
  attention,            // {tokens, 3 * features}: query, key, value -> {tokens, features}; heads, causal, fused
  take_token,           // token `index`: {tokens, features} -> {features}
  take_tokens,          // the first `index` tokens
  classification_loss,  // {classes} and one label a sample; a second input counts `ratio` times
  next_token_loss,      // {seq, vocabulary} and the tokens, shifted by one
  span_loss,            // {seq, 2} and a start and an end position a sample
  pretraining_loss,     // {masked, vocabulary} and {2}: BERT's masked words and next sentence
  other,                // of a script, limited by memory: `groups` kernels forward, `index` backward
};

std::string_view to_string(Op op);
constexpr Op kLastOp = Op::other;
std::optional<Op> find_op(std::string_view name);  // nullopt: there is none of that name

using Shape = std::vector<std::int64_t>;
std::int64_t element_count(const Shape& shape);

struct Parameter {
  std::string name;  // "layer1.0.conv1.weight", as torchvision and Hugging Face spell it
  Shape shape;
};

// What a layer costs for one sample. Operations as torch's FlopCounterMode counts them: two for a
// multiply-add of a matrix product or convolution, none elsewhere; but a grouped convolution's weight gradient
// is counted once, where FlopCounterMode counts it `groups` times. The backward of fused attention computes the
// scores again; unfused attention keeps them in memory and moves them there many times. Elements are activations read
// and written; parameters are read once a batch and counted apart.
struct Cost {
  double forward_ops = 0;
  double backward_ops = 0;
  double forward_elements = 0;
  double backward_elements = 0;
};

struct Layer {
  std::string name;
  Op op = Op::image;
  std::vector<int> inputs;            // indices of earlier layers
  Shape output;                       // per sample; {} for a loss
  std::vector<Parameter> parameters;  // weight first, then bias
  Cost cost;
  // Attributes; Op says which ones a kind reads.
  int kernel = 1;
  int kernel_width = 1;
  int stride = 1;
  int padding = 0;
  int padding_width = 0;
  int groups = 1;
  int index = 0;
  int heads = 1;
  int weight_of = -1;
  bool bias = false;
  bool causal = false;
  bool ceil_mode = false;
  bool fused = true;
  bool tensorflow_kernels = false;  // depthwise convolutions: those of TensorFlow 2.5, which are slower than torch's
  double ratio = 0;
  double epsilon = 1e-5;

  std::int64_t parameter_count() const;
};

enum class InputKind { images, tokens };

// A network with its loss, in execution order. The one source for shapes, operations, bytes,
// the torch module and the emulated layer times.
struct Graph {
  std::string name;
  InputKind input = InputKind::images;
  int image_size = 0;
  int seq_len = 0;
  int classes = 0;  // or vocabulary size
  std::vector<Layer> layers;
  std::optional<UpdateKind> update;  // of a script's optimizer; nullopt: as jobs with such a network have it

  std::int64_t parameter_count() const;
  double forward_ops() const;  // one sample
  double backward_ops() const;
};

}  // namespace stash
