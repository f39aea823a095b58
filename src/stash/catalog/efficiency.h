#pragma once

#include "stash/catalog/gpu.h"

namespace stash {

// What a generation of GPUs reaches of its peak rates in training, by kind of work, and what a kernel costs beside its
// work: on the GPU its start and its tail, which is what makes small work slow; on the CPU its launch.
// Ratios are shares of the peak; fitted to training in TensorFlow 2.5 from Kepler to Turing, in torch from Ampere on.
// Depthwise convolutions have the kernels of torch unless a layer says that it has those of TensorFlow 2.5.
struct Efficiency {
  double winograd_ratio = 0;       // fp32 3x3 convolutions of stride 1: over 1, because they need fewer multiplications
  double conv_ratio = 0;           // other fp32 convolutions
  double matrix_ratio = 0;         // fp32 matrix products
  double tensor_conv_ratio = 0;    // convolutions in fp16, bf16 and TF32
  double tensor_matrix_ratio = 0;  // fp16 and bf16 matrix products
  double depthwise_ratio = 0;      // of the fp32 peak: depthwise convolutions and the gradient of their input
  double depthwise_weight_ratio = 0;      // the gradient of their weights
  double tensorflow_depthwise_ratio = 0;  // the same two in TensorFlow 2.5
  double tensorflow_depthwise_weight_ratio = 0;
  double small_tensorflow_depthwise_weight_ratio = 0;  // for images of up to 32 pixels and stride 1
  double memory_ratio = 0;                             // of the memory's rate, where that is the limit
  double norm_ratio = 0;                               // the same in batch norm and layer norm
  double pool_ratio = 0;                               // the same in pooling
  double loss_ratio = 0;                               // the same in a loss, which makes many passes over its logits
  double product_start_s = 0;                          // of a convolution or a matrix product, on the GPU
  double other_start_s = 0;                            // of any other kernel
  double reach_s = 0;          // the tail of a product, for every thousand values that one of its outputs sums
  double launch_s = 0;         // of any kernel, on the CPU
  double update_launch_s = 0;  // of the optimizer, for each tensor of parameters, on the CPU
};

// A grouped convolution has too few products per value for the matrix units or Winograd: a share of the fp32 peak.
inline constexpr double kGroupedConvolutionRatio = 0.15;

// How many times that in half precision, where the libraries have kernels of their own for them. For depthwise
// convolutions they have them in fp16 alone: EfficientNet-B0 and B4 in torch on V100 and A100.
inline constexpr double kHalfGroupedSpeedup = 4;
inline constexpr double kFp16DepthwiseSpeedup = 2.7;

// How far the figures of a generation can be trusted.
enum class Evidence { fitted, estimated };

const Efficiency& efficiency_of(Generation generation);
Evidence evidence_of(Generation generation, DType dtype);

}  // namespace stash
