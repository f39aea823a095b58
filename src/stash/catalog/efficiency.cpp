#include "stash/catalog/efficiency.h"

#include <array>

namespace stash {
namespace {

// Kepler, Maxwell, Volta and Turing in fp32: K80, M60, V100 and T4 by `bench/scaling_gpus --data
// cnn_step_times_aws.csv`. Ampere in fp16: A100 by `bench/scaling_gpt --data gpt_step_times_a100_single_node.csv`.
// Hopper in fp32 is set by hand to four networks on an H200 (docs/accuracy.md). All others are estimates: Pascal lies
// between its neighbours, Ada follows Turing, Blackwell follows Hopper.
constexpr std::array<Efficiency, 9> kEfficiencies{{
    {0.744, 0.231, 0.533, 0.41, 0.41, 0.621, 0.05, 543e-6, 156e-6, 50e-6},  // kepler
    {1.252, 0.575, 1.172, 0.90, 0.90, 0.759, 0.05, 297e-6, 40e-6, 35e-6},   // maxwell
    {1.50, 0.62, 0.95, 0.50, 0.70, 0.76, 0.05, 150e-6, 20e-6, 40e-6},       // pascal
    {1.862, 0.707, 0.887, 0.30, 0.35, 0.761, 0.05, 72e-6, 6e-6, 54e-6},     // volta
    {1.132, 0.420, 0.808, 0.28, 0.30, 0.777, 0.05, 181e-6, 17e-6, 20e-6},   // turing
    {1.70, 0.65, 0.85, 0.30, 0.730, 0.928, 0.050, 43e-6, 8.9e-6, 38.7e-6},  // ampere
    {1.40, 0.50, 0.75, 0.28, 0.55, 0.80, 0.05, 43e-6, 9e-6, 20e-6},         // ada
    {1.50, 0.55, 0.60, 0.26, 0.50, 0.65, 0.05, 30e-6, 5e-6, 15e-6},         // hopper
    {1.50, 0.55, 0.60, 0.26, 0.50, 0.65, 0.05, 30e-6, 5e-6, 15e-6},         // blackwell
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
