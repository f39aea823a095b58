#include "stash/models/memory.h"

namespace stash {
namespace {

constexpr double kTrainedCopies = 4;   // weight, gradient, bucket, momentum
constexpr double kEmulatedCopies = 2;  // weight, and the bucket that the gradient is a view of

}  // namespace

double training_bytes(const Graph& graph, int batch, int element_bytes) {
  double activations = 0;
  for (const Layer& layer : graph.layers) activations += static_cast<double>(element_count(layer.output));
  return static_cast<double>(graph.parameter_count()) * kParameterBytes * kTrainedCopies +
         activations * batch * element_bytes;
}

double emulated_bytes(const Graph& graph) {
  return static_cast<double>(graph.parameter_count()) * kParameterBytes * kEmulatedCopies;
}

}  // namespace stash
