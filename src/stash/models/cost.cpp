#include "stash/models/cost.h"

namespace stash {
namespace {

double count(const Shape& shape) { return static_cast<double>(element_count(shape)); }

double count(std::span<const Shape> shapes) {
  double sum = 0;
  for (const Shape& shape : shapes) sum += count(shape);
  return sum;
}

// Multiply-adds are two operations each; padding is counted as if it were data.
double convolution_ops(const Layer& layer, const Shape& input) {
  const double per_output = static_cast<double>(input[0]) / layer.groups * layer.kernel * layer.kernel_width;
  return 2 * count(layer.output) * per_output;
}

double linear_ops(const Layer& layer, const Shape& input) {
  return 2 * count(input) * static_cast<double>(layer.output.back());
}

// Scores and their product with the values. A causal mask saves nothing in the count.
double attention_ops(const Layer& layer) {
  const auto tokens = static_cast<double>(layer.output[0]);
  return 2 * 2 * tokens * count(layer.output);
}

double forward_ops(const Layer& layer, std::span<const Shape> inputs) {
  switch (layer.op) {
    case Op::conv2d:
      return convolution_ops(layer, inputs[0]);
    case Op::linear:
      return linear_ops(layer, inputs[0]);
    case Op::attention:
      return attention_ops(layer);
    default:
      return 0;
  }
}

double backward_ops(const Layer& layer, double forward, bool input_needs_gradient) {
  // Five products for two: fused kernels compute the scores again.
  if (layer.op == Op::attention && layer.fused) return forward * 5 / 2;
  return input_needs_gradient ? 2 * forward : forward;
}

// Forward, the scores are written by their product, read and written by the softmax, read and written (with a mask of
// half their size) by the dropout, read by the product with the values; backward likewise for two gradients.
constexpr double kForwardScorePasses = 6.5;
constexpr double kBackwardScorePasses = 9.5;

double score_elements(const Layer& layer) {
  if (layer.op != Op::attention || layer.fused) return 0;
  const auto tokens = static_cast<double>(layer.output[0]);
  return layer.heads * tokens * tokens;
}

double forward_elements(const Layer& layer, double in, double out) {
  switch (layer.op) {
    case Op::image:
    case Op::tokens:
    case Op::flatten:
    case Op::chunk:
      return 0;  // views
    case Op::batch_norm:
      return 2 * in + out;  // once for the statistics, once to normalise
    case Op::dropout:
      return in + 2 * out;  // the mask is written too
    case Op::embedding:
      return 2 * out;  // rows are read and written
    case Op::take_token:
    case Op::take_tokens:
      return 2 * out;
    case Op::classification_loss:
    case Op::next_token_loss:
    case Op::span_loss:
    case Op::pretraining_loss:
      return 2 * in;  // logits are read, log probabilities written
    default:
      return in + out;
  }
}

// Gradients read and written, and what was saved in the forward pass and is read again.
double backward_elements(const Layer& layer, double in, double out, bool input_needs_gradient) {
  switch (layer.op) {
    case Op::image:
    case Op::tokens:
    case Op::flatten:
    case Op::add:
      return 0;  // the gradient is passed on; where two meet, the forked layer pays (Builder::finish)
    case Op::conv2d:
    case Op::linear:
      return (in + out) * (input_needs_gradient ? 2 : 1);  // a pass for each gradient
    case Op::batch_norm:
      return 2 * (in + out) + in;  // sums first, then the gradient
    case Op::layer_norm:
      return 2 * (in + out) + in;  // the input's gradient and the parameters'
    case Op::relu:
    case Op::relu6:
    case Op::gelu:
    case Op::silu:
    case Op::sigmoid:
    case Op::tanh:
    case Op::dropout:
      return out + 2 * in;  // gradient, saved input or mask, gradient
    case Op::scale:
      return 7 * out;  // two products read and written, one of them summed over space
    case Op::chunk:
    case Op::embedding:
      return 2 * out;
    case Op::position:
    case Op::constant_row:
      return out;  // summed over the batch
    case Op::attention:
      return 2 * in + 2 * out;
    case Op::classification_loss:
    case Op::next_token_loss:
    case Op::span_loss:
    case Op::pretraining_loss:
      return 2 * in;
    default:
      return in + out;
  }
}

}  // namespace

Cost cost_of(const Layer& layer, std::span<const Shape> inputs, bool input_needs_gradient) {
  const bool is_loss = layer.output.empty();
  const double in = count(inputs);
  const double out = is_loss ? 0 : count(layer.output);
  Cost cost;
  cost.forward_ops = forward_ops(layer, inputs);
  cost.backward_ops = backward_ops(layer, cost.forward_ops, input_needs_gradient);
  cost.forward_elements = forward_elements(layer, in, out) + kForwardScorePasses * score_elements(layer);
  const bool has_backward = input_needs_gradient || !layer.parameters.empty();
  cost.backward_elements = has_backward ? backward_elements(layer, in, out, input_needs_gradient) +
                                              kBackwardScorePasses * score_elements(layer)
                                        : 0;
  return cost;
}

}  // namespace stash
