#pragma once

#include "stash/models/graph.h"

namespace stash {

// The kernels of one pass of a layer.
struct LayerKernels {
  int products = 0;  // convolutions and matrix products
  int others = 0;
  int casts = 0;     // only in mixed precision
  double reach = 0;  // values that one output of a product sums, added over the products
};

LayerKernels forward_kernels(const Layer& layer);
LayerKernels backward_kernels(const Layer& layer);

bool is_product(Op op);
bool is_loss(Op op);
bool is_pool(Op op);
bool is_norm(Op op);

// Whether each channel is filtered alone.
bool is_depthwise(const Layer& layer);

// Channels of the input that one output of a convolution sums over.
double group_channels(const Layer& layer);

}  // namespace stash
