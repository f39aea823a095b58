#pragma once

#include <vector>

#include "stash/catalog/gpu.h"
#include "stash/core/profile.h"
#include "stash/models/graph.h"

namespace stash {

// The time of every layer of `graph` on `gpu`, for a whole batch, forward and backward; both are always set.
// The slower of operations and memory traffic, at what the GPU's generation reaches of its peak, and the kernels'
// overhead. Parameters and their gradients are fp32. UsageError where the GPU lacks the type.
std::vector<LayerTime> layer_times(const Graph& graph, int batch, DType dtype, const Gpu& gpu);

// The same rows without a GPU: operations, bytes and parameters; times are absent.
std::vector<LayerTime> layer_costs(const Graph& graph, int batch, DType dtype);

// The time of one optimizer step: SGD with momentum, bound by memory.
double optimizer_time_s(const Graph& graph, const Gpu& gpu);

}  // namespace stash
