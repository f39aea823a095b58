#include "stash/serve/model/forward_time.h"

#include "stash/catalog/roofline.h"
#include "stash/serve/model/inference_efficiency.h"

namespace stash {
namespace {

// Training reads a batch norm's input twice, once for the statistics; inference reads it once and writes the output.
constexpr double kNormPasses = 2.0 / 3;

}  // namespace

Graph inference_graph(Graph graph) {
  for (Layer& layer : graph.layers) {
    if (layer.op == Op::dropout || layer.op == Op::stochastic_depth) {
      layer.op = Op::flatten;  // nothing is done
      layer.cost.forward_elements = 0;
    }
    if (layer.op != Op::batch_norm) continue;
    layer.op = Op::relu;  // elementwise, as fast as the memory
    layer.cost.forward_elements *= kNormPasses;
  }
  return graph;
}

double forward_time_s(const Graph& graph, int batch, DType dtype, const Gpu& gpu) {
  return inference_time_s(inference_graph(graph), batch, dtype, gpu, inference_efficiency(gpu.generation, dtype));
}

double inference_time_s(const Graph& run, int batch, DType dtype, const Gpu& gpu, const Efficiency& reached) {
  const StepTime step = step_time(run, batch, dtype, gpu, reached);
  PassTime sum;
  for (std::size_t i = 0; i < run.layers.size(); ++i) {
    if (!run.layers[i].output.empty()) sum += step.forward[i];  // a loss has no output
  }
  return joined_s(sum);
}

}  // namespace stash
