#include "stash/catalog/layer_kernels.h"

namespace stash {
namespace {

bool is_view(Op op) { return op == Op::image || op == Op::tokens || op == Op::flatten; }

int bias_kernels(const Layer& layer) { return layer.bias ? 1 : 0; }

// Parameters are cast before a product and their gradients after it. The input of a matrix product comes from a norm,
// which is computed in fp32.
int casts_of(const Layer& layer) {
  return static_cast<int>(layer.parameters.size()) + (layer.op == Op::linear ? 1 : 0);
}

double forward_reach(const Layer& layer) {
  if (layer.op == Op::attention || is_depthwise(layer)) return 0;
  return layer.cost.forward_ops / 2 / static_cast<double>(element_count(layer.output));
}

// Of the input's gradient: it sums over what a value of the input went into.
double backward_reach(const Layer& layer) {
  if (layer.op == Op::linear) return static_cast<double>(layer.output.back());
  if (layer.op != Op::conv2d || is_depthwise(layer)) return 0;
  return static_cast<double>(layer.output[0]) / layer.groups * layer.kernel * layer.kernel_width;
}

}  // namespace

bool is_loss(Op op) {
  return op == Op::classification_loss || op == Op::next_token_loss || op == Op::span_loss ||
         op == Op::pretraining_loss;
}

bool is_product(Op op) { return op == Op::conv2d || op == Op::linear || op == Op::attention; }

bool is_pool(Op op) { return op == Op::max_pool2d || op == Op::avg_pool2d || op == Op::adaptive_avg_pool2d; }

bool is_norm(Op op) { return op == Op::batch_norm || op == Op::layer_norm; }

double group_channels(const Layer& layer) {
  return layer.parameters.empty() ? 0 : static_cast<double>(layer.parameters[0].shape[1]);
}

bool is_depthwise(const Layer& layer) {
  return layer.op == Op::conv2d && layer.groups > 1 && group_channels(layer) == 1;
}

LayerKernels forward_kernels(const Layer& layer) {
  if (is_view(layer.op) || layer.op == Op::chunk) return {};
  if (layer.op == Op::other) return {.others = layer.groups};
  if (layer.op == Op::attention && !layer.fused) return {.products = 2, .others = 2};  // softmax, dropout between two
  if (!is_product(layer.op)) return {.others = 1};
  return {.products = 1, .others = bias_kernels(layer), .casts = casts_of(layer), .reach = forward_reach(layer)};
}

// A gradient each for input, weight and bias.
LayerKernels backward_kernels(const Layer& layer) {
  if (is_view(layer.op) || layer.op == Op::add) return {};
  if (layer.op == Op::other) return {.others = layer.index};
  if (layer.op == Op::attention)
    return layer.fused ? LayerKernels{.products = 1} : LayerKernels{.products = 4, .others = 2};
  if (!is_product(layer.op)) return {.others = 1};
  return {.products = 2,
          .others = bias_kernels(layer),
          .casts = casts_of(layer),
          .reach = forward_reach(layer) + backward_reach(layer)};
}

}  // namespace stash
