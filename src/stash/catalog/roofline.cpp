#include "stash/catalog/roofline.h"

#include <algorithm>
#include <cmath>

#include "stash/catalog/layer_kernels.h"
#include "stash/models/graph.h"

namespace stash {
namespace {

constexpr double kForwardParameterPasses = 1;   // weights are read
constexpr double kBackwardParameterPasses = 2;  // weights are read, gradients written
constexpr double kWinogradTile = 4;             // outputs in each direction; what hangs over the edge is computed too
constexpr double kJoinPower = 6;                // of the norm of GPU and CPU; infinite would be the longer of the two
constexpr double kTf32Ratio = 0.5;              // of the tensor cores' fp16 rate

constexpr double kPerReach = 1e-3;           // Efficiency::reach_s is that of a thousand values
constexpr double kCausalShare = 0.5;         // of the scores, which fused kernels do not compute beyond
constexpr double kDepthwiseTilePixels = 32;  // TensorFlow has a kernel of its own up to this size

// Tensor cores take this many channels at once; fewer leave them idle.
constexpr double kTensorChannels = 32;

bool is_winograd(const Layer& layer) { return layer.kernel == 3 && layer.stride == 1; }

// The share of Winograd's tiles that is output: small images fill them badly.
double tile_fill(const Layer& layer) {
  double fill = 1;
  for (std::size_t i = 1; i < layer.output.size(); ++i) {
    const auto extent = static_cast<double>(layer.output[i]);
    fill *= extent / (std::ceil(extent / kWinogradTile) * kWinogradTile);
  }
  return fill;
}

bool has_tf32(const Gpu& gpu) { return gpu.generation >= Generation::ampere && gpu.fp16_ops_per_s; }

// What the GPU reaches in a kind of layer.
class ReachedRates {
 public:
  ReachedRates(DType dtype, const Gpu& gpu, const Efficiency& reached)
      : dtype_(dtype), gpu_(gpu), reached_(reached), peak_(gpu.ops_per_s(dtype)) {}

  double forward_s(const Layer& layer, const PassCost& cost) const {
    return seconds(cost, ops_per_s(layer), bytes_per_s(layer));
  }

  double backward_s(const Layer& layer, const PassCost& cost) const {
    if (!is_depthwise(layer)) return seconds(cost, ops_per_s(layer), bytes_per_s(layer));
    const PassCost half{cost.ops / 2, cost.bytes / 2};  // a gradient of the input, one of the weights
    return seconds(half, ops_per_s(layer), bytes_per_s(layer)) +
           seconds(half, depthwise_peak() * depthwise_weight_ratio(layer), bytes_per_s(layer));
  }

  // Without the work: starts, and what the last outputs of a product take while the rest of the GPU is idle.
  PassTime start_time(const LayerKernels& kernels) const {
    const int casts = dtype_ == DType::fp32 ? 0 : kernels.casts;
    return {kernels.products * reached_.product_start_s + kernels.others * reached_.other_start_s +
                kernels.reach * kPerReach * reached_.reach_s,
            (kernels.products + kernels.others + casts) * reached_.launch_s};
  }

 private:
  static double seconds(const PassCost& cost, double ops_per_s, double bytes_per_s) {
    return std::max(cost.ops / ops_per_s, cost.bytes / bytes_per_s);
  }

  double ops_per_s(const Layer& layer) const {
    if (layer.op == Op::conv2d) return convolution_ops_per_s(layer);
    return layer.op == Op::attention && layer.fused && layer.causal ? matrix_ops_per_s() / kCausalShare
                                                                    : matrix_ops_per_s();
  }

  double bytes_per_s(const Layer& layer) const {
    double ratio = reached_.memory_ratio;
    if (is_loss(layer.op)) ratio = reached_.loss_ratio;
    if (is_norm(layer.op)) ratio = reached_.norm_ratio;
    if (is_pool(layer.op)) ratio = reached_.pool_ratio;
    return gpu_.memory_bytes_per_s * ratio;
  }

  double depthwise_weight_ratio(const Layer& layer) const {
    if (!layer.tensorflow_kernels) return reached_.depthwise_weight_ratio;
    const bool small = layer.stride == 1 && static_cast<double>(layer.output[1]) <= kDepthwiseTilePixels;
    return small ? reached_.small_tensorflow_depthwise_weight_ratio : reached_.tensorflow_depthwise_weight_ratio;
  }

  double depthwise_ratio(const Layer& layer) const {
    return layer.tensorflow_kernels ? reached_.tensorflow_depthwise_ratio : reached_.depthwise_ratio;
  }

  double convolution_ops_per_s(const Layer& layer) const {
    if (is_depthwise(layer)) return depthwise_peak() * depthwise_ratio(layer);
    if (layer.groups > 1) return grouped_peak() * kGroupedConvolutionRatio;
    double ratio = reached_.conv_ratio;
    if (is_winograd(layer)) ratio = std::max(ratio, reached_.winograd_ratio * tile_fill(layer));
    // On chips with slow tensor cores the libraries keep to the ordinary units.
    const double fill = std::min(1.0, group_channels(layer) / kTensorChannels);
    return std::max(gpu_.fp32_ops_per_s * ratio, tensor_convolution_peak() * reached_.tensor_conv_ratio * fill);
  }

  double depthwise_peak() const { return gpu_.fp32_ops_per_s * (dtype_ == DType::fp16 ? kFp16DepthwiseSpeedup : 1); }
  double grouped_peak() const { return gpu_.fp32_ops_per_s * (dtype_ == DType::fp32 ? 1 : kHalfGroupedSpeedup); }

  double tensor_convolution_peak() const {
    if (dtype_ != DType::fp32) return peak_;
    return has_tf32(gpu_) ? *gpu_.fp16_ops_per_s * kTf32Ratio : 0;
  }

  double matrix_ops_per_s() const {
    const double fp32 = gpu_.fp32_ops_per_s * reached_.matrix_ratio;
    return dtype_ == DType::fp32 ? fp32 : std::max(peak_ * reached_.tensor_matrix_ratio, fp32);
  }

  DType dtype_;
  const Gpu& gpu_;
  const Efficiency& reached_;
  double peak_;
};

PassTime with_work(PassTime start, double work_s) {
  start.gpu_s += work_s;
  return start;
}

// What is read and written of each parameter: weight, gradient, and the optimizer's own.
double optimizer_passes(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
      return 3;
    case Optimizer::momentum:
      return 5;
    case Optimizer::adam:
      return 7;
  }
  return 0;
}

PassCost pass_cost(const Layer& layer, double ops, double elements, double parameter_passes, int batch, DType dtype) {
  const double parameter_bytes = static_cast<double>(layer.parameter_count()) * kParameterBytes;
  return {ops * batch, elements * batch * element_bytes(dtype) + parameter_passes * parameter_bytes};
}

}  // namespace

PassTime& PassTime::operator+=(const PassTime& other) {
  gpu_s += other.gpu_s;
  host_s += other.host_s;
  return *this;
}

PassTime StepTime::passes() const {
  PassTime sum;
  for (const PassTime& time : forward) sum += time;
  for (const PassTime& time : backward) sum += time;
  return sum;
}

PassCost forward_cost(const Layer& layer, int batch, DType dtype) {
  return pass_cost(layer, layer.cost.forward_ops, layer.cost.forward_elements, kForwardParameterPasses, batch, dtype);
}

PassCost backward_cost(const Layer& layer, int batch, DType dtype) {
  return pass_cost(layer, layer.cost.backward_ops, layer.cost.backward_elements, kBackwardParameterPasses, batch,
                   dtype);
}

PassTime optimizer_time(const Graph& graph, const Gpu& gpu, const Efficiency& efficiency, Optimizer optimizer) {
  int tensors = 0;
  for (const Layer& layer : graph.layers) tensors += static_cast<int>(layer.parameters.size());
  const double bytes = static_cast<double>(graph.parameter_count()) * kParameterBytes * optimizer_passes(optimizer);
  return {bytes / (gpu.memory_bytes_per_s * efficiency.memory_ratio), tensors * efficiency.update_launch_s};
}

StepTime step_time(const Graph& graph, int batch, DType dtype, const Gpu& gpu, const Efficiency& efficiency,
                   Optimizer optimizer) {
  const ReachedRates rates(dtype, gpu, efficiency);
  StepTime step;
  for (const Layer& layer : graph.layers) {
    step.forward.push_back(
        with_work(rates.start_time(forward_kernels(layer)), rates.forward_s(layer, forward_cost(layer, batch, dtype))));
    step.backward.push_back(with_work(rates.start_time(backward_kernels(layer)),
                                      rates.backward_s(layer, backward_cost(layer, batch, dtype))));
  }
  step.optimizer = optimizer_time(graph, gpu, efficiency, optimizer);
  return step;
}

double joined_s(const PassTime& time) {
  const double longer = std::max(time.gpu_s, time.host_s);
  if (longer <= 0) return 0;
  const double ratio = std::min(time.gpu_s, time.host_s) / longer;
  return longer * std::pow(1 + std::pow(ratio, kJoinPower), 1 / kJoinPower);
}

double gpu_share(const PassTime& time) {
  const double joined = joined_s(time);
  return joined > 0 ? std::pow(time.gpu_s / joined, kJoinPower) : 0;
}

}  // namespace stash
