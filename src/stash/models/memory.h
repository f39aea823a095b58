#pragma once

#include "stash/models/graph.h"

namespace stash {

// Memory that one rank needs to train, roughly: weights, gradients, buckets, momentum, and activations that the
// backward pass reads again. `element_bytes` is that of an activation.
double training_bytes(const Graph& graph, int batch, int element_bytes);

// The same for an emulated accelerator, which holds weights and gradients and computes nothing.
double emulated_bytes(const Graph& graph);

}  // namespace stash
