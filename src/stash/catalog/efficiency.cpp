#include "stash/catalog/efficiency.h"

#include <array>

namespace stash {
namespace {

// Kepler, Maxwell, Volta and Turing in fp32: K80, M60, V100 and T4 by `bench/scaling_gpus --data
// cnn_step_times_aws.csv`. Ampere in fp16: A100 by `bench/scaling_gpt --data gpt_step_times_a100_single_node.csv`.
// Hopper in fp32 and bf16: H200 by data/h200_steps.csv (bench/h200_steps). All others are estimates: Pascal lies
// between its neighbours, Ada follows Turing, Blackwell follows Hopper; launches in torch are those of the H200's host.
// Depthwise convolutions in torch: EfficientNet-B0 and B4 of NVIDIA's examples on V100 and A100
// (data/scaling_measured.csv); elsewhere up to Turing, torch is taken to gain as much over TensorFlow as on Volta.
// clang-format off
constexpr std::array<Efficiency, 9> kEfficiencies{{
    // winograd, conv, matrix, tensor conv and matrix; depthwise: all and weights, in TensorFlow all, weights and small;
    // memory, norm, pool, loss; starts, reach, launches
    {0.807, 0.205, 0.572, 0.41, 0.41,  0.017, 0.0056, 0.0079, 0.0029, 0.003,  0.636, 0.636, 0.636, 0.05,  63e-6,  41e-6,  417e-6,  68e-6,   68e-6},  // kepler
    {1.346, 0.497, 1.227, 0.90, 0.90,  0.043, 0.014,  0.0196, 0.0021, 0.003,  0.790, 0.790, 0.790, 0.05,  26e-6,  16e-6,  196e-6,  31e-6,   31e-6},  // maxwell
    {1.60,  0.58,  0.98,  0.50, 0.70,  0.046, 0.015,  0.021,  0.0018, 0.003,  0.77,  0.77,  0.77,  0.05,  16e-6,  11e-6,  84e-6,   36e-6,   36e-6},  // pascal
    {2.007, 0.670, 0.786, 0.30, 0.35,  0.050, 0.016,  0.0226, 0.0015, 0.003,  0.755, 0.755, 0.755, 0.05,  10e-6,  7e-6,   36e-6,   42e-6,   42e-6},  // volta
    {1.204, 0.385, 0.753, 0.28, 0.30,  0.053, 0.017,  0.0240, 0.0032, 0.003,  0.801, 0.801, 0.801, 0.05,  20e-6,  9e-6,   106e-6,  20e-6,   20e-6},  // turing
    {1.70,  0.65,  0.85,  0.30, 0.730, 0.040, 0.012,  0.040,  0.012,  0.012,  0.928, 0.928, 0.928, 0.050, 43e-6,  8.9e-6, 0,       49e-6,   38.7e-6},  // ampere
    {1.40,  0.50,  0.75,  0.28, 0.55,  0.033, 0.0051, 0.033,  0.0051, 0.0051, 0.80,  0.45,  0.15,  0.05,  21e-6,  4e-6,   5e-6,    44e-6,   13e-6},  // ada
    {0.357, 0.20,  0.718, 0.357, 0.468, 0.0355, 0.0063, 0.0355, 0.0063, 0.0063, 0.792, 0.592, 0.133, 0.217, 31e-6, 4.3e-6, 9.7e-6, 31.3e-6, 21.5e-6},  // hopper
    {0.357, 0.20,  0.718, 0.357, 0.468, 0.0355, 0.0063, 0.0355, 0.0063, 0.0063, 0.792, 0.592, 0.133, 0.217, 31e-6, 4.3e-6, 9.7e-6, 31.3e-6, 21.5e-6},  // blackwell
}};
// clang-format on

}  // namespace

const Efficiency& efficiency_of(Generation generation) { return kEfficiencies[static_cast<std::size_t>(generation)]; }

Evidence evidence_of(Generation generation, DType dtype) {
  const bool half = dtype != DType::fp32;
  switch (generation) {
    case Generation::kepler:
    case Generation::maxwell:
    case Generation::volta:
    case Generation::turing:
      return half ? Evidence::estimated : Evidence::fitted;
    case Generation::ampere:
      return half ? Evidence::fitted : Evidence::estimated;
    case Generation::hopper:
      return Evidence::fitted;
    default:
      return Evidence::estimated;
  }
}

}  // namespace stash
