#pragma once

#include <vector>

#include "stash/catalog/efficiency.h"
#include "stash/models/graph.h"

namespace stash {

// What a pass asks of the GPU, and of the CPU that launches its kernels, for a whole batch.
struct PassTime {
  double gpu_s = 0;
  double host_s = 0;
  PassTime& operator+=(const PassTime& other);
};

enum class Optimizer { sgd, momentum, adam };

// A training step on one GPU, by layer of the graph.
struct StepTime {
  std::vector<PassTime> forward;
  std::vector<PassTime> backward;
  PassTime optimizer;

  PassTime passes() const;  // forward and backward, all layers
};

// A layer takes the longer of its operations and its memory traffic at what the GPU reaches of its peaks, and its
// kernels' starts. Parameters and their gradients are fp32; fp32 convolutions use TF32 where the GPU has it, as torch's
// do. UsageError where the GPU lacks the type.
StepTime step_time(const Graph& graph, int batch, DType dtype, const Gpu& gpu, const Efficiency& efficiency,
                   Optimizer optimizer = Optimizer::momentum);

PassTime optimizer_time(const Graph& graph, const Gpu& gpu, const Efficiency& efficiency, Optimizer optimizer);

// How long it takes when the CPU launches ahead while the GPU works: little more than the longer of the two.
double joined_s(const PassTime& time);

// The share of the GPU in that: the factor by which the time grows when the GPU's part grows by a small factor.
double gpu_share(const PassTime& time);

// What a pass of a whole batch computes and moves.
struct PassCost {
  double ops = 0;
  double bytes = 0;
};
PassCost forward_cost(const Layer& layer, int batch, DType dtype);
PassCost backward_cost(const Layer& layer, int batch, DType dtype);

}  // namespace stash
