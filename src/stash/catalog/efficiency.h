#pragma once

#include "stash/catalog/gpu.h"

namespace stash {

// What a generation of GPUs reaches of its peak rates in training, by kind of work; and what a kernel costs beside
// its work: launch, ramp and tail, and the framework around it.
struct Efficiency {
  double winograd_ratio;       // fp32 3x3 convolutions of stride 1: over 1, because they need fewer multiplications
  double matrix_ratio;         // other fp32 convolutions and matrix products
  double tensor_conv_ratio;    // fp16 and bf16 convolutions
  double tensor_matrix_ratio;  // fp16 and bf16 matrix products
  double memory_ratio;         // of the memory's rate, where that is the limit
  double kernel_overhead_s;
};

// A grouped convolution has too few products per value for the matrix units or Winograd: a share of the fp32 peak.
inline constexpr double kGroupedConvolutionRatio = 0.15;

const Efficiency& efficiency_of(Generation generation);

}  // namespace stash
