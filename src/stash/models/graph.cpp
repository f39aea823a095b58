#include "stash/models/graph.h"

#include <limits>

namespace stash {

std::string_view to_string(Op op) {
  switch (op) {
    case Op::image:
      return "image";
    case Op::tokens:
      return "tokens";
    case Op::conv2d:
      return "conv2d";
    case Op::batch_norm:
      return "batch_norm";
    case Op::relu:
      return "relu";
    case Op::relu6:
      return "relu6";
    case Op::gelu:
      return "gelu";
    case Op::silu:
      return "silu";
    case Op::sigmoid:
      return "sigmoid";
    case Op::tanh:
      return "tanh";
    case Op::max_pool2d:
      return "max_pool2d";
    case Op::avg_pool2d:
      return "avg_pool2d";
    case Op::adaptive_avg_pool2d:
      return "adaptive_avg_pool2d";
    case Op::linear:
      return "linear";
    case Op::add:
      return "add";
    case Op::scale:
      return "scale";
    case Op::stochastic_depth:
      return "stochastic_depth";
    case Op::concat:
      return "concat";
    case Op::chunk:
      return "chunk";
    case Op::channel_shuffle:
      return "channel_shuffle";
    case Op::dropout:
      return "dropout";
    case Op::flatten:
      return "flatten";
    case Op::mean_over_space:
      return "mean_over_space";
    case Op::layer_norm:
      return "layer_norm";
    case Op::embedding:
      return "embedding";
    case Op::position:
      return "position";
    case Op::constant_row:
      return "constant_row";
    case Op::class_token:
      return "class_token";
    case Op::patches:
      return "patches";
    case Op::attention:
      return "attention";
    case Op::take_token:
      return "take_token";
    case Op::take_tokens:
      return "take_tokens";
    case Op::classification_loss:
      return "classification_loss";
    case Op::next_token_loss:
      return "next_token_loss";
    case Op::span_loss:
      return "span_loss";
    case Op::pretraining_loss:
      return "pretraining_loss";
    case Op::other:
      return "other";
  }
  return "unknown";
}

std::optional<Op> find_op(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(kLastOp); ++i) {
    if (to_string(static_cast<Op>(i)) == name) return static_cast<Op>(i);
  }
  return std::nullopt;
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::numeric_limits<std::int64_t>::max();
  }
  return count;
}

std::int64_t Layer::parameter_count() const {
  std::int64_t sum = 0;
  for (const Parameter& parameter : parameters) sum += element_count(parameter.shape);
  return sum;
}

std::int64_t Graph::parameter_count() const {
  std::int64_t sum = 0;
  for (const Layer& layer : layers) sum += layer.parameter_count();
  return sum;
}

double Graph::forward_ops() const {
  double sum = 0;
  for (const Layer& layer : layers) sum += layer.cost.forward_ops;
  return sum;
}

double Graph::backward_ops() const {
  double sum = 0;
  for (const Layer& layer : layers) sum += layer.cost.backward_ops;
  return sum;
}

}  // namespace stash
