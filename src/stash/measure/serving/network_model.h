#pragma once

#include <string>
#include <vector>

#include "stash/measure/engine/torch_layers.h"
#include "stash/measure/serving/batch_model.h"

namespace stash {

// A built-in network for inference: learned statistics, no dropout, no loss. Its weights are random from a seed.
class NetworkModel : public BatchModel {
 public:
  // Error where the weights do not fit into memory; UsageError for an unknown network.
  NetworkModel(const std::string& network, const std::string& dtype, c10::Device device, std::uint64_t seed);

  std::string platform() const override;
  std::vector<ModelTensor> inputs() const override;
  std::vector<std::string> output_names() const override { return {"output"}; }
  std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs) override;

  const Graph& graph() const { return graph_; }
  const std::vector<LayerTensors>& layer_tensors() const { return tensors_; }

 private:
  at::Tensor layer_output(std::size_t index, const std::vector<at::Tensor>& inputs, const Batch& batch) const;

  Graph graph_;
  std::string dtype_;
  at::ScalarType type_;
  std::vector<LayerTensors> tensors_;
  std::vector<int> last_use_;  // by layer: the last layer that reads its output
  int scores_ = 0;             // the layer that the loss looks at
};

}  // namespace stash
