#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/measure/engine/torch_layers.h"

namespace stash {

// A model's layers one at a time, without data: on torch's meta device nothing is computed, and what torch would do
// can be watched.
class LayerRunner {
 public:
  LayerRunner(const std::string& model, int batch, std::optional<int> image_size, int seq_len);

  const Graph& graph() const { return graph_; }
  void forward(int layer);   // in order
  void backward(int layer);  // of the layer that ran last
  std::vector<std::int64_t> output_shape(int layer) const;

 private:
  Graph graph_;
  Batch batch_;
  std::vector<LayerTensors> tensors_;
  std::vector<at::Tensor> outputs_;  // detached
  std::vector<at::Tensor> leaves_;   // of the layer that ran last
  at::Tensor output_;
};

}  // namespace stash
