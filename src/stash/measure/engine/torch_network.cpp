#include "stash/measure/engine/torch_network.h"

#include "stash/measure/engine/autocast.h"

namespace stash {
namespace {

constexpr double kLearningRate = 1e-3;  // small: what is measured is time, and the loss has to stay finite
constexpr double kMomentum = 0.9;
constexpr double kHalfLossScale = 128;  // keeps fp16's small gradients from vanishing

std::vector<int> last_uses(const Graph& graph) {
  std::vector<int> last(graph.layers.size(), static_cast<int>(graph.layers.size()));
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    for (const int from : graph.layers[i].inputs) last[static_cast<std::size_t>(from)] = static_cast<int>(i);
  }
  return last;
}

}  // namespace

TorchNetwork::TorchNetwork(const Graph& graph, const Job& job, const Device& device)
    : graph_(graph),
      dtype_(job.dtype),
      device_(device.torch_device()),
      loss_scale_(job.dtype == "fp16" ? kHalfLossScale : 1),
      tensors_(make_layer_tensors(graph, device_, job.seed)),
      last_use_(last_uses(graph)) {
  if (job.channels_last) use_channels_last();
  const at::NoGradGuard no_grad;
  for (const LayerTensors& layer : tensors_) {
    for (const at::Tensor& parameter : layer.parameters) {
      parameters_.push_back(parameter);
      momentum_.push_back(at::zeros_like(parameter));
    }
  }
}

std::vector<at::Tensor> TorchNetwork::buffers() const {
  std::vector<at::Tensor> all;
  for (const LayerTensors& layer : tensors_) all.insert(all.end(), layer.buffers.begin(), layer.buffers.end());
  return all;
}

at::Tensor TorchNetwork::forward(const Batch& batch) {
  const Autocast autocast(device_.type(), dtype_);
  std::vector<at::Tensor> outputs(graph_.layers.size());
  std::vector<at::Tensor> inputs;
  for (std::size_t i = 0; i < graph_.layers.size(); ++i) {
    const Layer& layer = graph_.layers[i];
    inputs.clear();
    for (const int from : layer.inputs) {
      at::Tensor& output = outputs[static_cast<std::size_t>(from)];
      inputs.push_back(output);
      if (last_use_[static_cast<std::size_t>(from)] == static_cast<int>(i)) output.reset();
    }
    outputs[i] = apply_layer(graph_, layer, inputs, tensors_[i], tensors_, batch);
  }
  return loss_scale_ == 1 ? outputs.back() : outputs.back() * loss_scale_;
}

void TorchNetwork::update() {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  gradients.reserve(parameters_.size());
  for (const at::Tensor& parameter : parameters_) gradients.push_back(parameter.grad());
  at::_foreach_mul_(momentum_, kMomentum);
  at::_foreach_add_(momentum_, gradients, 1 / loss_scale_);
  at::_foreach_add_(parameters_, momentum_, -kLearningRate);
  for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
}

void TorchNetwork::reset_optimizer() {
  const at::NoGradGuard no_grad;
  at::_foreach_zero_(momentum_);
}

void TorchNetwork::use_channels_last() {
  const at::NoGradGuard no_grad;
  for (LayerTensors& layer : tensors_) {
    for (at::Tensor& parameter : layer.parameters) {
      if (parameter.dim() == 4) parameter.set_data(parameter.contiguous(at::MemoryFormat::ChannelsLast));
    }
  }
}

}  // namespace stash
