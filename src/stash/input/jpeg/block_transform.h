#pragma once

#include <array>
#include <cstdint>

namespace stash {

// The quantisation of a component, with the constants of the inverse transform multiplied in.
struct BlockScale {
  alignas(32) std::array<float, 64> factor{};

  // `quantisation` in natural order, row by row.
  static BlockScale of(const std::uint16_t* quantisation);
};

// Where coefficient number k of a file's zigzag order is in a block that transform_block takes: column by column.
// Behind the 64th there are places that nobody looks at, for the runs of damaged files.
inline constexpr int kBlockPlaces = 80;
inline constexpr int kNowhere = 64;
extern const std::array<std::uint8_t, 128> kPlaceOfCoefficient;

// Inverse discrete cosine transform of `coefficients` (kBlockPlaces of them, aligned to 32 bytes) to eight rows of
// eight samples. Floating point: closer to the exact result than the usual whole-number transforms.
using TransformBlock = void (*)(const std::int16_t* coefficients, const BlockScale& scale, std::uint8_t* out,
                                std::int64_t stride);

TransformBlock avx2_transform();  // null where the processor has no AVX2, FMA and BMI2

}  // namespace stash
