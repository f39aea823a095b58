#pragma once

#include <vector>

#include "stash/measure/engine/network.h"
#include "stash/measure/torch_headers.h"
#include "stash/models/graph.h"

namespace stash {

// The tensors that one layer of the graph owns.
struct LayerTensors {
  std::vector<at::Tensor> parameters;  // in the graph's order
  std::vector<at::Tensor> buffers;     // running statistics
};

// Initialised so that the loss is finite and training does not diverge. Parameters require gradients.
std::vector<LayerTensors> make_layer_tensors(const Graph& graph, c10::Device device, std::uint64_t seed);

// One layer of the graph in torch. `inputs` are the outputs of layer.inputs; `all` gives tied weights.
at::Tensor apply_layer(const Graph& graph, const Layer& layer, const std::vector<at::Tensor>& inputs,
                       const LayerTensors& own, const std::vector<LayerTensors>& all, const Batch& batch);

}  // namespace stash
