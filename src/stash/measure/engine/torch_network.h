#pragma once

#include <string>
#include <vector>

#include "stash/measure/engine/network.h"
#include "stash/measure/engine/torch_layers.h"

namespace stash {

// The graph as a real torch network: SGD with momentum, mixed precision by autocast.
class TorchNetwork : public Network {
 public:
  TorchNetwork(const Graph& graph, const Job& job, const Device& device);

  const std::vector<at::Tensor>& parameters() const override { return parameters_; }
  std::vector<at::Tensor> buffers() const override;
  at::Tensor forward(const Batch& batch) override;
  void update() override;
  void reset_optimizer() override;
  bool is_emulated() const override { return false; }
  const std::vector<LayerTensors>& layer_tensors() const { return tensors_; }

 private:
  void use_channels_last();

  const Graph& graph_;
  std::string dtype_;
  c10::Device device_;
  double loss_scale_;
  std::vector<LayerTensors> tensors_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> momentum_;
  std::vector<int> last_use_;  // by layer: the last layer that reads its output
};

}  // namespace stash
