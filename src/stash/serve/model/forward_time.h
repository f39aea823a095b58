#pragma once

#include "stash/catalog/efficiency.h"
#include "stash/catalog/gpu.h"
#include "stash/models/graph.h"

namespace stash {

// The time of a forward pass for inference: no loss, no dropout, and batch norm with the statistics that were learned.
// The roofline of the GPU's generation (catalog/roofline.h) with what torch reaches of it in inference
// (inference_efficiency.h); UsageError where the GPU lacks the type.
double forward_time_s(const Graph& graph, int batch, DType dtype, const Gpu& gpu);

// The graph as inference runs it, for its times: its layers are those of `graph`, without what only training does.
Graph inference_graph(Graph graph);

// Of such a graph, with what the GPU reaches.
double inference_time_s(const Graph& run, int batch, DType dtype, const Gpu& gpu, const Efficiency& reached);

}  // namespace stash
