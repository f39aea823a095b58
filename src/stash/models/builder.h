#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/models/graph.h"

namespace stash {

struct Convolution {
  int channels = 0;  // of the output
  int kernel = 1;
  int stride = 1;
  int padding = 0;
  int groups = 1;
  bool bias = false;
  std::optional<int> kernel_width{};  // as high, where not set
  std::optional<int> padding_width{};
};

struct Pooling {
  int kernel = 1;
  int stride = 1;
  int padding = 0;
  bool ceil_mode = false;
};

// Puts a Graph together, layer by layer; output shapes, parameters and costs follow. Every method returns the new
// layer's index. A layer that its input is too small for is a UsageError.
class Builder {
 public:
  explicit Builder(std::string model);

  int image(int size);
  int tokens(int seq_len, int vocabulary);
  int conv2d(const std::string& name, int input, const Convolution& spec);
  int batch_norm(const std::string& name, int input, double epsilon = 1e-5);
  int activation(Op op, const std::string& name, int input);  // relu, relu6, gelu, silu, sigmoid, tanh
  int max_pool2d(const std::string& name, int input, const Pooling& spec);
  int avg_pool2d(const std::string& name, int input, const Pooling& spec);
  int adaptive_avg_pool2d(const std::string& name, int input, int size);
  // The parameters are named <name><separator>weight and ...bias.
  int linear(const std::string& name, int input, int features, bool bias = true, const std::string& separator = ".");
  int tied_linear(const std::string& name, int input, int embedding, bool bias = false);  // the embedding's weight
  int add(const std::string& name, int left, int right);
  int scale(const std::string& name, int input, int factors);  // a factor per channel
  int concat(const std::string& name, const std::vector<int>& inputs);
  int chunk(const std::string& name, int input, int index, int pieces);
  int channel_shuffle(const std::string& name, int input, int groups);
  int dropout(const std::string& name, int input, double ratio);
  int stochastic_depth(const std::string& name, int input, double ratio);
  int flatten(int input, const std::string& name = "flatten");
  int mean_over_space(const std::string& name, int input);
  int layer_norm(const std::string& name, int input, double epsilon);
  int embedding(const std::string& name, int input, int features);
  int position(const std::string& name, const std::string& parameter, int input, int rows);
  int constant_row(const std::string& name, int input, int rows);
  int class_token(const std::string& name, int input);
  int patches(const std::string& name, int input);
  int attention(const std::string& name, int input, int heads, bool causal, bool fused = true);
  int take_token(const std::string& name, int input, int index);
  int take_tokens(const std::string& name, int input, int count);
  int loss(Op op, int input);
  int loss(Op op, int input, int second, double ratio);  // of two heads; `ratio` is the second's weight

  const Shape& output(int layer) const;

  // Ends the graph. `classes` is the number of classes, or the vocabulary's size.
  Graph finish(int classes) &&;

 private:
  int push(Layer layer);
  std::int64_t pooled_extent(const std::string& name, std::int64_t extent, const Pooling& spec) const;
  int pool2d(Op op, const std::string& name, int input, const Pooling& spec);

  Graph graph_;
  std::vector<bool> needs_gradient_;  // by layer: something learned is at or before it
};

}  // namespace stash
