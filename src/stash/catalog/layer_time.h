#pragma once

#include <vector>

#include "stash/catalog/roofline.h"
#include "stash/core/profile.h"

namespace stash {

// The time of every layer of `graph` on `gpu`, for a whole batch, forward and backward; both are always set.
// The roofline of the GPU's generation (roofline.h); where the CPU does not launch fast enough, what the GPU waits is
// shared among the layers by their kernels. UsageError where the GPU lacks the type.
std::vector<LayerTime> layer_times(const Graph& graph, int batch, DType dtype, const Gpu& gpu);

// The same from a step that is known already.
std::vector<LayerTime> layer_times(const Graph& graph, int batch, DType dtype, const StepTime& step);

// The same rows without a GPU: operations, bytes and parameters; times are absent.
std::vector<LayerTime> layer_costs(const Graph& graph, int batch, DType dtype);

// The time of one optimizer step, by default SGD with momentum; bound by memory, or by the launch of its kernels.
double optimizer_time_s(const Graph& graph, const Gpu& gpu, Optimizer optimizer = Optimizer::momentum);

}  // namespace stash
