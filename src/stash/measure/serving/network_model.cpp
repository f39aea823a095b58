#include "stash/measure/serving/network_model.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <fstream>

#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/models/models.h"

namespace stash {
namespace {

at::ScalarType scalar_type_of(const std::string& dtype) {
  if (dtype == "fp16") return at::kHalf;
  return dtype == "bf16" ? at::kBFloat16 : at::kFloat;
}

bool is_loss_layer(const Layer& layer) { return layer.output.empty(); }

int scores_layer(const Graph& graph) {
  for (const Layer& layer : graph.layers) {
    if (is_loss_layer(layer) && !layer.inputs.empty()) return layer.inputs.front();
  }
  return static_cast<int>(graph.layers.size()) - 1;
}

std::vector<int> last_readers(const Graph& graph, int scores) {
  std::vector<int> last(graph.layers.size(), -1);
  for (int i = 0; i <= scores; ++i) {
    for (const int from : graph.layers[static_cast<std::size_t>(i)].inputs) last[static_cast<std::size_t>(from)] = i;
  }
  return last;
}

void check_memory(const Graph& graph, c10::Device device) {
  if (!device.is_cpu()) return;  // torch says so itself
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    long long kib = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %lld kB", &kib) != 1) continue;
    const double needed = static_cast<double>(graph.parameter_count()) * kParameterBytes;
    const double there = static_cast<double>(kib) * 1024;
    if (needed > there) {
      throw Error(fmt::format("the weights of {} take {} and {} of memory are free: serve a smaller network",
                              graph.name, format_bytes(needed), format_bytes(there)));
    }
  }
}

}  // namespace

NetworkModel::NetworkModel(const std::string& network, const std::string& dtype, c10::Device device, std::uint64_t seed)
    : graph_(make_model(network)), dtype_(dtype), type_(scalar_type_of(dtype)) {
  check_memory(graph_, device);
  scores_ = scores_layer(graph_);
  last_use_ = last_readers(graph_, scores_);
  // On the host, so that every device has the same weights.
  tensors_ = make_layer_tensors(graph_, at::kCPU, seed);
  for (LayerTensors& layer : tensors_) {
    for (at::Tensor& one : layer.parameters) one = one.detach().to(device, type_);
    for (at::Tensor& one : layer.buffers) one = one.to(device);
  }
}

std::string NetworkModel::platform() const { return fmt::format("{} in {}", graph_.name, dtype_); }

std::vector<ModelTensor> NetworkModel::inputs() const {
  if (graph_.input == InputKind::images) {
    return {{.name = "input", .type = at::kFloat, .shape = {3, graph_.image_size, graph_.image_size}}};
  }
  return {{.name = "input", .type = at::kLong, .shape = {graph_.seq_len}}};
}

at::Tensor NetworkModel::layer_output(std::size_t index, const std::vector<at::Tensor>& inputs,
                                      const Batch& batch) const {
  const Layer& layer = graph_.layers[index];
  const LayerTensors& own = tensors_[index];
  switch (layer.op) {
    case Op::batch_norm:
      return at::batch_norm(inputs.at(0), own.parameters[0], own.parameters[1], own.buffers[0], own.buffers[1], false,
                            0.1, layer.epsilon, true);
    case Op::dropout:
    case Op::stochastic_depth:
      return inputs.at(0);
    default:
      return apply_layer(graph_, layer, inputs, own, tensors_, batch);
  }
}

std::vector<at::Tensor> NetworkModel::run(const std::vector<at::Tensor>& given) {
  const Batch batch{.input = graph_.input == InputKind::images ? given.at(0).to(type_) : given.at(0), .target = {}};
  std::vector<at::Tensor> outputs(graph_.layers.size());
  std::vector<at::Tensor> inputs;
  for (int i = 0; i <= scores_; ++i) {
    inputs.clear();
    for (const int from : graph_.layers[static_cast<std::size_t>(i)].inputs) {
      at::Tensor& output = outputs[static_cast<std::size_t>(from)];
      inputs.push_back(output);
      if (last_use_[static_cast<std::size_t>(from)] == i) output.reset();
    }
    outputs[static_cast<std::size_t>(i)] = layer_output(static_cast<std::size_t>(i), inputs, batch);
  }
  at::Tensor scores = outputs[static_cast<std::size_t>(scores_)];
  // Of a language model the word that follows the last token.
  if (graph_.layers.back().op == Op::next_token_loss) scores = scores.select(1, scores.size(1) - 1);
  return {scores.to(at::kFloat)};
}

}  // namespace stash
