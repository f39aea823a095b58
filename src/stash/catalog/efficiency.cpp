#include "stash/catalog/efficiency.h"

#include <array>

namespace stash {
namespace {

// Fitted to published step times, in fp32: Kepler, Maxwell, Volta and Turing, to ResNet and VGG on K80, M60, V100 and
// T4 (32 to 256 pixels, batches of 16 to 256). Fitted in fp16: Ampere's matrix products, to GPT on A100. All others
// are estimates: Pascal lies between its neighbours, the newer ones follow Volta and Ampere, with faster launches and
// a smaller share of their larger peaks.
constexpr std::array<Efficiency, 9> kEfficiencies{{
    {0.94, 0.41, 0.41, 0.41, 0.27, 390e-6},  // kepler
    {1.52, 0.90, 0.90, 0.90, 0.57, 170e-6},  // maxwell
    {1.70, 0.80, 0.50, 0.70, 0.70, 100e-6},  // pascal
    {2.04, 0.74, 0.30, 0.35, 0.90, 65e-6},   // volta
    {1.32, 0.58, 0.28, 0.30, 0.56, 100e-6},  // turing
    {1.70, 0.70, 0.35, 0.48, 0.85, 45e-6},   // ampere
    {1.50, 0.60, 0.30, 0.45, 0.80, 40e-6},   // ada
    {1.70, 0.70, 0.25, 0.40, 0.85, 30e-6},   // hopper
    {1.70, 0.70, 0.25, 0.40, 0.85, 30e-6},   // blackwell
}};

}  // namespace

const Efficiency& efficiency_of(Generation generation) { return kEfficiencies[static_cast<std::size_t>(generation)]; }

}  // namespace stash
