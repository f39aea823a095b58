#include "stash/predict/unpooled.h"

#include <algorithm>
#include <cmath>

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
    if (layer.op != Op::linear) continue;
    resize_inputs(layer, ratio);
    ratio = 1;
  }
  return graph;
}

}  // namespace stash
