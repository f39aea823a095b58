#pragma once

#include "stash/catalog/efficiency.h"

namespace stash {

// What inference reaches of what training reaches (catalog/efficiency.h), kind by kind, on GPUs of every generation;
// and what an eager framework takes to launch a kernel, which depends on the hosts that such GPUs have. Fitted to
// published times by `bench/serving_times --fit`.
struct InferenceFactors {
  double winograd = 1.03;
  double conv = 1.15;
  double matrix = 0.916;
  double tensor_conv = 1.26;
  double tf32_conv = 0.69;
  double tensor_matrix = 1.06;
  double depthwise = 1.06;
  double half_depthwise = 0.932;  // beyond kFp16DepthwiseSpeedup
  double memory = 1.09;
  double product_start = 0.974;
  double other_start = 0.975;
  double reach = 0.542;
  double volta_launch_s = 50e-6;
  double turing_launch_s = 35e-6;
  double ampere_launch_s = 28e-6;
};

// Of a forward pass of torch, for inference.
Efficiency inference_efficiency(Generation generation, DType dtype, const InferenceFactors& factors = {});

}  // namespace stash
