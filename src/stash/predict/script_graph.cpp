#include "stash/predict/script_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/catalog/layer_kernels.h"
#include "stash/catalog/layer_time.h"
#include "stash/core/error.h"

namespace stash {
namespace {

Op op_named(const WorkLayer& seen) {
  const std::optional<Op> op = find_op(seen.op);
  if (!op) {
    throw Error(fmt::format("the profile's operator '{}' is of a kind, '{}', that this version does not know: update",
                            seen.name, seen.op));
  }
  return *op;
}

// Of the layer whose weight is used again; any with one will do.
int weight_of(const Graph& graph, const WorkLayer& seen) {
  if (!seen.shares_weight) return -1;
  const auto owner = std::ranges::find_if(graph.layers, [](const Layer& layer) { return !layer.parameters.empty(); });
  return owner == graph.layers.end() ? -1 : static_cast<int>(owner - graph.layers.begin());
}

Layer layer_of(const WorkLayer& seen, const Graph& before) {
  Layer layer;
  layer.name = fmt::format("{} {}", before.layers.size(), seen.name);
  layer.op = op_named(seen);
  layer.output = seen.output;
  layer.weight_of = weight_of(before, seen);
  for (std::size_t i = 0; i < seen.parameters.size(); ++i) {
    layer.parameters.push_back({fmt::format("{}.{}", layer.name, i), seen.parameters[i]});
  }
  layer.kernel = seen.kernel;
  layer.kernel_width = seen.kernel_width;
  layer.stride = seen.stride;
  layer.groups = seen.groups;
  layer.index = seen.index;
  layer.heads = seen.heads;
  layer.causal = seen.causal;
  layer.bias = is_product(layer.op) && seen.parameters.size() > 1 && seen.parameters[1].size() == 1;
  layer.cost = {seen.forward_ops, seen.backward_ops, seen.forward_elements, seen.backward_elements};
  return layer;
}

int kernels(const LayerKernels& of) { return of.products + of.others; }

double gap_s(const ScriptWork& work) {
  double sum = 0;
  for (const WorkRow& row : work.rows) sum += row.kind == WorkClass::gap ? row.s : 0;
  return sum;
}

}  // namespace

Graph graph_of(const ScriptWork& work, const std::string& name) {
  Graph graph;
  graph.name = name;
  graph.update = work.optimizer;
  for (const WorkLayer& seen : work.layers) graph.layers.push_back(layer_of(seen, graph));
  if (graph.layers.empty()) throw Error("the profile has no operators of a forward pass: make it again");
  return graph;
}

std::vector<LayerTime> layer_times_of(const ScriptWork& work, const Graph& graph, DType dtype) {
  std::vector<LayerTime> times = layer_costs(graph, std::max(1, work.batch), dtype);
  double launches = 0;
  for (const Layer& layer : graph.layers)
    launches += kernels(forward_kernels(layer)) + kernels(backward_kernels(layer));
  const double wait_s = launches > 0 ? gap_s(work) / work.passes / launches : 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Layer& layer = graph.layers[i];
    times[i].forward_s = work.layers[i].forward_s + wait_s * kernels(forward_kernels(layer));
    times[i].backward_s = work.layers[i].backward_s + wait_s * kernels(backward_kernels(layer));
  }
  return times;
}

double update_s(const ScriptWork& work) {
  double sum = 0;
  for (const WorkRow& row : work.rows) sum += row.kind == WorkClass::optimizer ? row.s : 0;
  return sum;
}

}  // namespace stash
