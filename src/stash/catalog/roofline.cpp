#include "stash/catalog/roofline.h"

#include <algorithm>
#include <cmath>

namespace stash {
namespace {

constexpr double kParameterBytes = 4;
constexpr double kForwardParameterPasses = 1;   // weights are read
constexpr double kBackwardParameterPasses = 2;  // weights are read, gradients written
constexpr double kWinogradTile = 4;             // outputs in each direction; what hangs over the edge is computed too
constexpr double kJoinPower = 6;                // of the norm of GPU and CPU; infinite would be the longer of the two
constexpr double kTf32Ratio = 0.5;              // of the tensor cores' fp16 rate

// In mixed precision a layer also launches casts of its input, weight and gradients.
constexpr double kMixedLaunches = 2;

struct KernelCount {
  int products = 0;
  int others = 0;
};

bool is_view(Op op) { return op == Op::image || op == Op::tokens || op == Op::flatten; }

bool is_loss(Op op) { return op == Op::classification_loss || op == Op::next_token_loss || op == Op::span_loss; }

bool is_product(Op op) { return op == Op::conv2d || op == Op::linear || op == Op::attention; }

int bias_kernels(const Layer& layer) { return layer.bias ? 1 : 0; }

KernelCount forward_kernels(const Layer& layer) {
  if (is_view(layer.op) || layer.op == Op::chunk) return {};
  if (layer.op == Op::attention && !layer.fused) return {2, 2};  // softmax and dropout between two products
  return is_product(layer.op) ? KernelCount{1, bias_kernels(layer)} : KernelCount{0, 1};
}

// A gradient each for input, weight and bias.
KernelCount backward_kernels(const Layer& layer) {
  if (is_view(layer.op) || layer.op == Op::add) return {};
  if (layer.op == Op::attention) return layer.fused ? KernelCount{1, 0} : KernelCount{4, 2};
  return is_product(layer.op) ? KernelCount{2, bias_kernels(layer)} : KernelCount{0, 1};
}

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

// Operations per second that the GPU reaches in a kind of layer.
class ReachedRates {
 public:
  ReachedRates(DType dtype, const Gpu& gpu, const Efficiency& reached)
      : dtype_(dtype), gpu_(gpu), reached_(reached), peak_(gpu.ops_per_s(dtype)) {}

  double ops_per_s(const Layer& layer) const {
    return layer.op == Op::conv2d ? convolution_ops_per_s(layer) : matrix_ops_per_s();
  }

  double bytes_per_s(const Layer& layer) const {
    return gpu_.memory_bytes_per_s * (is_loss(layer.op) ? reached_.loss_ratio : reached_.memory_ratio);
  }

  double launches() const { return dtype_ == DType::fp32 ? 1 : kMixedLaunches; }

 private:
  double convolution_ops_per_s(const Layer& layer) const {
    if (layer.groups > 1) return gpu_.fp32_ops_per_s * kGroupedConvolutionRatio;
    double ratio = reached_.conv_ratio;
    if (is_winograd(layer)) ratio = std::max(ratio, reached_.winograd_ratio * tile_fill(layer));
    // On chips with slow tensor cores the libraries keep to the ordinary units.
    return std::max(gpu_.fp32_ops_per_s * ratio, tensor_convolution_peak() * reached_.tensor_conv_ratio);
  }

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

PassTime start_time(const KernelCount& kernels, const Efficiency& reached) {
  return {kernels.products * reached.product_start_s + kernels.others * reached.other_start_s,
          (kernels.products + kernels.others) * reached.launch_s};
}

PassTime pass_time(const Layer& layer, const PassCost& cost, const KernelCount& kernels, const ReachedRates& rates,
                   const Efficiency& reached) {
  PassTime time = start_time(kernels, reached);
  time.host_s *= rates.launches();
  time.gpu_s += std::max(cost.ops / rates.ops_per_s(layer), cost.bytes / rates.bytes_per_s(layer));
  return time;
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
  PassTime time = start_time({0, tensors}, efficiency);
  const double bytes = static_cast<double>(graph.parameter_count()) * kParameterBytes * optimizer_passes(optimizer);
  time.gpu_s += bytes / (gpu.memory_bytes_per_s * efficiency.memory_ratio);
  return time;
}

StepTime step_time(const Graph& graph, int batch, DType dtype, const Gpu& gpu, const Efficiency& efficiency,
                   Optimizer optimizer) {
  const ReachedRates rates(dtype, gpu, efficiency);
  StepTime step;
  for (const Layer& layer : graph.layers) {
    step.forward.push_back(
        pass_time(layer, forward_cost(layer, batch, dtype), forward_kernels(layer), rates, efficiency));
    step.backward.push_back(
        pass_time(layer, backward_cost(layer, batch, dtype), backward_kernels(layer), rates, efficiency));
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
