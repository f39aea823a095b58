#include "stash/serve/model/inference_efficiency.h"

namespace stash {
namespace {

// Hosts of later GPUs: half of what they take for a kernel of a training step, as on Ampere. An estimate.
constexpr double kLaterLaunch_s = 20e-6;

double launch_s(Generation generation, const InferenceFactors& factors) {
  if (generation <= Generation::volta) return factors.volta_launch_s;
  if (generation == Generation::turing) return factors.turing_launch_s;
  return generation == Generation::ampere ? factors.ampere_launch_s : kLaterLaunch_s;
}

}  // namespace

Efficiency inference_efficiency(Generation generation, DType dtype, const InferenceFactors& factors) {
  Efficiency reached = efficiency_of(generation);
  reached.winograd_ratio *= factors.winograd;
  reached.conv_ratio *= factors.conv;
  reached.matrix_ratio *= factors.matrix;
  reached.tensor_conv_ratio *= dtype == DType::fp32 ? factors.tf32_conv : factors.tensor_conv;
  reached.tensor_matrix_ratio *= factors.tensor_matrix;
  reached.depthwise_ratio *= factors.depthwise * (dtype == DType::fp16 ? factors.half_depthwise : 1);
  reached.memory_ratio *= factors.memory;
  reached.norm_ratio *= factors.memory;
  reached.pool_ratio *= factors.memory;
  reached.product_start_s *= factors.product_start;
  reached.other_start_s *= factors.other_start;
  reached.reach_s *= factors.reach;
  reached.launch_s = launch_s(generation, factors);
  return reached;
}

}  // namespace stash
