#include "stash/measure/engine/layer_timer.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <functional>

#include "stash/catalog/layer_time.h"
#include "stash/core/clock.h"
#include "stash/measure/engine/autocast.h"

namespace stash {
namespace {

constexpr double kLayer_s = 0.005;  // of repetitions for each layer and direction
constexpr int kRepetitions = 10;

// The mean time of `work`, after one run that warms it up.
double mean_time_s(Device& device, const std::function<void()>& work) {
  const std::int64_t first_ns = now_ns();
  work();
  device.synchronize();
  const double once_s = std::max(seconds(now_ns() - first_ns), 1e-9);
  const int times = std::clamp(static_cast<int>(kLayer_s / once_s), 1, kRepetitions);
  if (device.is_accelerator()) {
    const c10::impl::VirtualGuardImpl guard(device.torch_device().type());
    const c10::Stream stream = guard.getStream(device.torch_device());
    c10::Event start(device.torch_device().type(), c10::EventFlag::BACKEND_DEFAULT);
    c10::Event stop(device.torch_device().type(), c10::EventFlag::BACKEND_DEFAULT);
    start.record(stream);
    for (int i = 0; i < kRepetitions; ++i) work();
    stop.record(stream);
    device.synchronize();
    return start.elapsedTime(stop) * 1e-3 / kRepetitions;
  }
  const std::int64_t start_ns = now_ns();
  for (int i = 0; i < times; ++i) work();
  return seconds(now_ns() - start_ns) / times;
}

std::vector<at::Tensor> own_inputs(const Layer& layer, const std::vector<at::Tensor>& outputs,
                                   const std::vector<bool>& needs_gradient) {
  std::vector<at::Tensor> inputs;
  for (const int from : layer.inputs) {
    at::Tensor input = outputs[static_cast<std::size_t>(from)].detach();
    inputs.push_back(needs_gradient[static_cast<std::size_t>(from)] ? input.requires_grad_(true) : input);
  }
  return inputs;
}

// What the layer's backward pass computes gradients of.
std::vector<at::Tensor> leaves(const Layer& layer, const std::vector<at::Tensor>& inputs,
                               const std::vector<LayerTensors>& all, std::size_t index) {
  std::vector<at::Tensor> wanted;
  for (const at::Tensor& input : inputs) {
    if (input.requires_grad()) wanted.push_back(input);
  }
  wanted.insert(wanted.end(), all[index].parameters.begin(), all[index].parameters.end());
  if (layer.weight_of >= 0) wanted.push_back(all[static_cast<std::size_t>(layer.weight_of)].parameters[0]);
  return wanted;
}

}  // namespace

std::vector<LayerTime> time_layers(const Graph& graph, const Job& job, Device& device, const TorchNetwork& network,
                                   const Batch& batch, RankState& state) {
  std::vector<LayerTime> rows = layer_costs(graph, job.batch, parse_dtype(job.dtype));
  const std::vector<LayerTensors>& tensors = network.layer_tensors();
  std::vector<at::Tensor> outputs(graph.layers.size());
  std::vector<bool> needs_gradient(graph.layers.size(), false);
  const Autocast autocast(device.torch_device().type(), job.dtype);
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    state.beat(Phase::working);
    const Layer& layer = graph.layers[i];
    const std::vector<at::Tensor> inputs = own_inputs(layer, outputs, needs_gradient);
    const auto run = [&] { return apply_layer(graph, layer, inputs, tensors[i], tensors, batch); };
    const at::Tensor output = run();
    rows[i].forward_s = mean_time_s(device, run);
    outputs[i] = output.detach();
    needs_gradient[i] = output.requires_grad();
    if (!output.requires_grad()) continue;
    const std::vector<at::Tensor> wanted = leaves(layer, inputs, tensors, i);
    const at::Tensor gradient = at::ones_like(output);
    rows[i].backward_s = mean_time_s(device, [&] {
      torch::autograd::grad({output}, wanted, {gradient}, /*retain_graph=*/true, /*create_graph=*/false,
                            /*allow_unused=*/true);
    });
  }
  return rows;
}

}  // namespace stash
