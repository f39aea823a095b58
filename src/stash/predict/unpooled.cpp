#include "stash/predict/unpooled.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "stash/catalog/layer_kernels.h"

namespace stash {
namespace {

void resize_inputs(Layer& linear, double ratio) {
  std::int64_t& inputs = linear.parameters[0].shape[1];
  inputs = std::max<std::int64_t>(1, std::llround(static_cast<double>(inputs) * ratio));
  linear.cost.forward_ops *= ratio;
  linear.cost.backward_ops *= ratio;
}

}  // namespace

Graph unpooled(Graph graph) {
  double ratio = 1;  // of values that reach the next product, without and with the pooling
  for (Layer& layer : graph.layers) {
    // A pooling to one value is a mean over space, which every framework has.
    if (layer.op == Op::adaptive_avg_pool2d && layer.kernel > 1) {
      const Shape& in = graph.layers[static_cast<std::size_t>(layer.inputs[0])].output;
      ratio = static_cast<double>(element_count(in)) / static_cast<double>(element_count(layer.output));
    }
    if (layer.op != Op::linear || layer.weight_of >= 0) continue;
    resize_inputs(layer, ratio);
    ratio = 1;
  }
  return graph;
}

Graph with_biases(Graph graph) {
  if (std::ranges::any_of(graph.layers, is_depthwise)) return graph;
  for (std::size_t i = 1; i < graph.layers.size(); ++i) {
    Layer& layer = graph.layers[i - 1];
    if (layer.op != Op::conv2d || layer.bias || graph.layers[i].op != Op::batch_norm) continue;
    layer.bias = true;
    layer.parameters.push_back({layer.name + ".bias", {layer.output[0]}});
  }
  return graph;
}

Graph with_tensorflow_kernels(Graph graph) {
  for (Layer& layer : graph.layers) layer.tensorflow_kernels = is_depthwise(layer);
  return graph;
}

Built as_measured(const Graph& graph, const std::function<StepSum(const Graph&)>& step_of, double measured_step_s) {
  constexpr std::string_view kNearest = "the measured step is nearest to that";
  std::array built{
      Built{graph, ""},
      Built{unpooled(graph), fmt::format("the classifier of {} has as many inputs as the image gives it, without "
                                         "torchvision's pooling: {}",
                                         graph.name, kNearest)},
      Built{with_biases(graph), fmt::format("the convolutions of {} have biases: {}", graph.name, kNearest)},
      Built{with_tensorflow_kernels(graph),
            fmt::format("the depthwise convolutions of {} have the slower kernels of TensorFlow 2.5: {}", graph.name,
                        kNearest)}};
  std::size_t nearest = 0;
  for (std::size_t i = 1; i < built.size(); ++i) {
    if (is_nearer(step_of(built[i].graph), step_of(built[nearest].graph), measured_step_s)) nearest = i;
  }
  return std::move(built[nearest]);
}

}  // namespace stash
