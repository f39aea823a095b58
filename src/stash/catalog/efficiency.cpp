#include "stash/catalog/efficiency.h"

#include <array>

namespace stash {
namespace {

// Kepler, Maxwell, Volta and Turing in fp32: K80, M60, V100 and T4 by `bench/scaling_gpus --data
// cnn_step_times_aws.csv`. Ampere in fp16: A100 by `bench/scaling_gpt --data gpt_step_times_a100_single_node.csv`.
// Hopper in fp32 is set by hand to four networks on an H200 (docs/accuracy.md). All others are estimates: Pascal lies
// between its neighbours, Ada follows Turing, Blackwell follows Hopper.
constexpr std::array<Efficiency, 9> kEfficiencies{{
    {0.74, 0.25, 0.55, 0.41, 0.41, 0.61, 0.10, 637e-6, 116e-6, 50e-6},  // kepler
    {1.24, 0.63, 1.09, 0.90, 0.90, 0.77, 0.10, 305e-6, 37e-6, 40e-6},   // maxwell
    {1.50, 0.60, 0.90, 0.50, 0.70, 0.80, 0.10, 100e-6, 25e-6, 40e-6},   // pascal
    {1.82, 0.64, 0.95, 0.30, 0.35, 0.83, 0.10, 40e-6, 25e-6, 55e-6},    // volta
    {1.12, 0.45, 0.74, 0.28, 0.30, 0.80, 0.10, 182e-6, 17e-6, 20e-6},   // turing
    {1.70, 0.65, 0.85, 0.30, 0.60, 0.85, 0.10, 20e-6, 10e-6, 30e-6},    // ampere
    {1.40, 0.50, 0.75, 0.28, 0.45, 0.80, 0.10, 20e-6, 10e-6, 20e-6},    // ada
    {1.50, 0.55, 0.60, 0.25, 0.40, 0.80, 0.10, 10e-6, 5e-6, 15e-6},     // hopper
    {1.50, 0.55, 0.60, 0.25, 0.40, 0.80, 0.10, 10e-6, 5e-6, 15e-6},     // blackwell
}};

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
      return half ? Evidence::estimated : Evidence::checked;
    default:
      return Evidence::estimated;
  }
}

}  // namespace stash
