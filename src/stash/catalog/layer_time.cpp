#include "stash/catalog/layer_time.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"

namespace stash {
namespace {

LayerTime layer_cost(const Layer& layer, int batch, DType dtype) {
  const PassCost forward = forward_cost(layer, batch, dtype);
  const PassCost backward = backward_cost(layer, batch, dtype);
  LayerTime time;
  time.name = layer.name;
  time.op = to_string(layer.op);
  time.parameters = layer.parameter_count();
  time.forward_ops = forward.ops;
  time.backward_ops = backward.ops;
  time.forward_bytes = forward.bytes;
  time.backward_bytes = backward.bytes;
  return time;
}

}  // namespace

std::vector<LayerTime> layer_times(const Graph& graph, int batch, DType dtype, const StepTime& step) {
  const PassTime sum = step.passes();
  const double waits_ratio = sum.host_s > 0 ? (joined_s(sum) - sum.gpu_s) / sum.host_s : 0;
  std::vector<LayerTime> times = layer_costs(graph, batch, dtype);
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i].forward_s = step.forward[i].gpu_s + waits_ratio * step.forward[i].host_s;
    times[i].backward_s = step.backward[i].gpu_s + waits_ratio * step.backward[i].host_s;
  }
  return times;
}

std::vector<LayerTime> layer_times(const Graph& graph, int batch, DType dtype, const Gpu& gpu) {
  if (batch < 1) throw UsageError(fmt::format("--batch {} is too small; it must be 1 or more", batch));
  return layer_times(graph, batch, dtype, step_time(graph, batch, dtype, gpu, efficiency_of(gpu.generation)));
}

std::vector<LayerTime> layer_costs(const Graph& graph, int batch, DType dtype) {
  std::vector<LayerTime> costs;
  costs.reserve(graph.layers.size());
  for (const Layer& layer : graph.layers) costs.push_back(layer_cost(layer, batch, dtype));
  return costs;
}

double optimizer_time_s(const Graph& graph, const Gpu& gpu, Optimizer optimizer) {
  return joined_s(optimizer_time(graph, gpu, efficiency_of(gpu.generation), optimizer));
}

}  // namespace stash
