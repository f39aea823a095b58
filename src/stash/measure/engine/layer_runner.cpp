#include "stash/measure/engine/layer_runner.h"

#include <torch/csrc/autograd/autograd.h>

#include "stash/models/models.h"

namespace stash {
namespace {

Batch meta_batch(const Graph& graph, int64_t n) {
  const at::TensorOptions numbers = at::TensorOptions().device(at::kMeta).dtype(at::kLong);
  if (graph.input == InputKind::images) {
    return {at::empty({n, 3, graph.image_size, graph.image_size}, at::TensorOptions().device(at::kMeta)),
            at::empty({n}, numbers)};
  }
  const bool span = graph.layers.back().op == Op::span_loss;
  return {at::empty({n, graph.seq_len}, numbers), at::empty({n, span ? 2 : graph.seq_len}, numbers)};
}

}  // namespace

LayerRunner::LayerRunner(const std::string& model, int batch, std::optional<int> image_size, int seq_len)
    : graph_(make_model(model, {.image_size = image_size, .seq_len = seq_len})),
      batch_(meta_batch(graph_, batch)),
      tensors_(make_layer_tensors(graph_, at::kMeta, 1)),
      outputs_(graph_.layers.size()) {}

void LayerRunner::forward(int layer) {
  const auto index = static_cast<std::size_t>(layer);
  const Layer& own = graph_.layers.at(index);
  std::vector<at::Tensor> inputs;
  leaves_ = tensors_[index].parameters;
  if (own.weight_of >= 0) leaves_.push_back(tensors_[static_cast<std::size_t>(own.weight_of)].parameters[0]);
  for (const int from : own.inputs) {
    const at::Tensor& output = outputs_[static_cast<std::size_t>(from)];
    inputs.push_back(output.detach().requires_grad_(output.requires_grad()));
    if (output.requires_grad()) leaves_.push_back(inputs.back());
  }
  output_ = apply_layer(graph_, own, inputs, tensors_[index], tensors_, batch_);
  outputs_[index] = output_.detach().requires_grad_(output_.requires_grad());
}

void LayerRunner::backward(int layer) {
  if (!outputs_.at(static_cast<std::size_t>(layer)).requires_grad()) return;
  torch::autograd::grad({output_}, leaves_, {at::ones_like(output_)}, /*retain_graph=*/false, /*create_graph=*/false,
                        /*allow_unused=*/true);
}

std::vector<std::int64_t> LayerRunner::output_shape(int layer) const {
  return outputs_.at(static_cast<std::size_t>(layer)).sizes().vec();
}

}  // namespace stash
