#include "stash/catalog/efficiency.h"

#include <array>

namespace stash {
namespace {

// Kepler, Maxwell, Volta and Turing in fp32: K80, M60, V100 and T4 by `bench/scaling_gpus --data
// cnn_step_times_aws.csv`. Ampere in fp16: A100 by `bench/scaling_gpt --data gpt_step_times_a100_single_node.csv`.
// Hopper in fp32: H200 by data/h200_steps.csv (bench/h200_steps); in half precision one network confirms it. All others
// are estimates: Pascal lies between its neighbours, Ada follows Turing, Blackwell follows Hopper; launches in torch
// are those of the H200's host.
// clang-format off
constexpr std::array<Efficiency, 9> kEfficiencies{{
    // winograd, conv, matrix, tensor conv and matrix; depthwise: all, weights, small; memory, norm, pool, loss; starts,
    // reach, launches
    {0.812, 0.203, 0.603, 0.41, 0.41,  0.0094, 0.0028, 0.003,   0.632, 0.632, 0.632, 0.05,  78e-6, 62e-6, 347e-6, 71e-6, 71e-6},  // kepler
    {1.358, 0.484, 1.261, 0.90, 0.90,  0.0198, 0.0022, 0.003,   0.800, 0.800, 0.800, 0.05,  26e-6, 17e-6, 175e-6, 42e-6, 42e-6},  // maxwell
    {1.60,  0.56,  0.98,  0.50, 0.70,  0.021,  0.0019, 0.003,   0.78,  0.78,  0.78,  0.05,  17e-6, 12e-6, 75e-6,  42e-6, 42e-6},  // pascal
    {2.028, 0.652, 0.775, 0.30, 0.35,  0.022,  0.0016, 0.003,   0.763, 0.763, 0.763, 0.05,  11e-6, 7.6e-6, 32e-6, 42e-6, 42e-6},  // volta
    {1.216, 0.379, 0.715, 0.28, 0.30,  0.025,  0.0033, 0.003,   0.809, 0.809, 0.809, 0.05,  18e-6, 8.4e-6, 96e-6, 28e-6, 28e-6},  // turing
    {1.70,  0.65,  0.85,  0.30, 0.730, 0.040,  0.012,  0.012,  0.928, 0.928, 0.928, 0.050, 43e-6, 8.9e-6, 0,     49e-6, 38.7e-6},  // ampere
    {1.40,  0.50,  0.75,  0.28, 0.55,  0.033,  0.0051, 0.0051,  0.80,  0.45,  0.15,  0.05,  21e-6, 4e-6, 5e-6,    44e-6, 13e-6},  // ada
    {0.30,  0.20,  0.665, 0.34, 0.50,  0.033,  0.0051, 0.0051,  0.75,  0.443, 0.15,  0.32,  21e-6, 4e-6, 5.2e-6,  43.5e-6, 13e-6},  // hopper
    {0.30,  0.20,  0.665, 0.34, 0.50,  0.033,  0.0051, 0.0051,  0.75,  0.443, 0.15,  0.32,  21e-6, 4e-6, 5.2e-6,  43.5e-6, 13e-6},  // blackwell
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
      return half ? Evidence::checked : Evidence::fitted;
    default:
      return Evidence::estimated;
  }
}

}  // namespace stash
