#include "stash/catalog/layer_time.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/catalog/efficiency.h"
#include "stash/core/error.h"

namespace stash {
namespace {

constexpr double kParameterBytes = 4;
constexpr double kForwardParameterPasses = 1;   // weights are read
constexpr double kBackwardParameterPasses = 2;  // weights are read, gradients written
constexpr double kOptimizerPasses = 5;          // weight, gradient and momentum are read, weight and momentum written

double activation_bytes(DType dtype) { return dtype == DType::fp32 ? 4 : 2; }

bool is_view(Op op) { return op == Op::image || op == Op::tokens || op == Op::flatten; }

int forward_kernels(const Layer& layer) { return is_view(layer.op) || layer.op == Op::chunk ? 0 : 1; }

// A gradient each for input, weight and bias.
int backward_kernels(const Layer& layer) {
  if (is_view(layer.op) || layer.op == Op::add) return 0;
  const bool is_product = layer.op == Op::conv2d || layer.op == Op::linear;
  return is_product ? 2 + (layer.bias ? 1 : 0) : 1;
}

bool is_winograd(const Layer& layer) { return layer.op == Op::conv2d && layer.kernel == 3 && layer.stride == 1; }

// Operations per second that the GPU reaches in this kind of layer.
double reached_ops_per_s(const Layer& layer, DType dtype, const Gpu& gpu) {
  const Efficiency& reached = efficiency_of(gpu.generation);
  const double peak = gpu.ops_per_s(dtype);
  if (layer.op == Op::conv2d && layer.groups > 1) return gpu.fp32_ops_per_s * kGroupedConvolutionRatio;
  const double fp32 = gpu.fp32_ops_per_s * (is_winograd(layer) ? reached.winograd_ratio : reached.matrix_ratio);
  if (dtype == DType::fp32) return fp32;
  const double half = peak * (layer.op == Op::conv2d ? reached.tensor_conv_ratio : reached.tensor_matrix_ratio);
  return std::max(half, fp32);  // on chips with slow tensor cores the libraries keep to the ordinary units
}

class Roofline {
 public:
  Roofline(const Layer& layer, DType dtype, const Gpu& gpu)
      : ops_per_s_(reached_ops_per_s(layer, dtype, gpu)),
        bytes_per_s_(gpu.memory_bytes_per_s * efficiency_of(gpu.generation).memory_ratio),
        kernel_overhead_s_(efficiency_of(gpu.generation).kernel_overhead_s) {}

  double time_s(double ops, double bytes, int kernels) const {
    return std::max(ops / ops_per_s_, bytes / bytes_per_s_) + kernels * kernel_overhead_s_;
  }

 private:
  double ops_per_s_;
  double bytes_per_s_;
  double kernel_overhead_s_;
};

LayerTime layer_cost(const Layer& layer, int batch, DType dtype) {
  const double parameter_bytes = static_cast<double>(layer.parameter_count()) * kParameterBytes;
  const double element_bytes = batch * activation_bytes(dtype);
  LayerTime time;
  time.name = layer.name;
  time.op = to_string(layer.op);
  time.parameters = layer.parameter_count();
  time.forward_ops = layer.cost.forward_ops * batch;
  time.backward_ops = layer.cost.backward_ops * batch;
  time.forward_bytes = layer.cost.forward_elements * element_bytes + kForwardParameterPasses * parameter_bytes;
  time.backward_bytes = layer.cost.backward_elements * element_bytes + kBackwardParameterPasses * parameter_bytes;
  return time;
}

LayerTime layer_time(const Layer& layer, int batch, DType dtype, const Gpu& gpu) {
  LayerTime time = layer_cost(layer, batch, dtype);
  const Roofline roofline(layer, dtype, gpu);
  time.forward_s = roofline.time_s(time.forward_ops, time.forward_bytes, forward_kernels(layer));
  time.backward_s = roofline.time_s(time.backward_ops, time.backward_bytes, backward_kernels(layer));
  return time;
}

}  // namespace

std::vector<LayerTime> layer_times(const Graph& graph, int batch, DType dtype, const Gpu& gpu) {
  if (batch < 1) throw UsageError(fmt::format("--batch {} is too small; it must be 1 or more", batch));
  std::vector<LayerTime> times;
  times.reserve(graph.layers.size());
  for (const Layer& layer : graph.layers) times.push_back(layer_time(layer, batch, dtype, gpu));
  return times;
}

std::vector<LayerTime> layer_costs(const Graph& graph, int batch, DType dtype) {
  std::vector<LayerTime> costs;
  costs.reserve(graph.layers.size());
  for (const Layer& layer : graph.layers) costs.push_back(layer_cost(layer, batch, dtype));
  return costs;
}

double optimizer_time_s(const Graph& graph, const Gpu& gpu) {
  const Efficiency& reached = efficiency_of(gpu.generation);
  const double bytes = static_cast<double>(graph.parameter_count()) * kParameterBytes * kOptimizerPasses;
  return bytes / (gpu.memory_bytes_per_s * reached.memory_ratio) + reached.kernel_overhead_s;
}

}  // namespace stash
