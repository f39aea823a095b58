#include "stash/input/jpeg/block_transform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "stash/input/random.h"

namespace stash {
namespace {

struct alignas(32) Coefficients {
  std::array<std::int16_t, kBlockPlaces> value{};
};

// The definition. Coefficients are stored column by column.
double exact_sample(const Coefficients& block, const std::array<std::uint16_t, 64>& quantisation, int x, int y) {
  double sum = 0;
  for (int v = 0; v < 8; ++v) {
    for (int u = 0; u < 8; ++u) {
      const double scale = (u == 0 ? std::numbers::sqrt2 / 2 : 1) * (v == 0 ? std::numbers::sqrt2 / 2 : 1) / 4;
      const double coefficient = block.value[static_cast<std::size_t>(8 * u + v)] *
                                 static_cast<double>(quantisation[static_cast<std::size_t>(8 * v + u)]);
      sum += scale * coefficient * std::cos((2 * x + 1) * u * std::numbers::pi / 16) *
             std::cos((2 * y + 1) * v * std::numbers::pi / 16);
    }
  }
  return std::clamp(sum + 128, 0.0, 255.0);
}

TEST(BlockTransform, IsTheInverseCosineTransform) {
  if (avx2_transform() == nullptr) GTEST_SKIP() << "this processor has no AVX2";
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    Coefficients block;
    std::array<std::uint16_t, 64> quantisation{};
    for (auto& q : quantisation) q = static_cast<std::uint16_t>(1 + random.below(30));
    for (std::int64_t i = random.below(64); i > 0; --i) {
      block.value[static_cast<std::size_t>(random.below(64))] = static_cast<std::int16_t>(random.below(41) - 20);
    }
    std::array<std::uint8_t, 8 * 20> out{};
    avx2_transform()(block.value.data(), BlockScale::of(quantisation.data()), out.data(), 20);
    for (int y = 0; y < 8; ++y) {
      for (int x = 0; x < 8; ++x) {
        ASSERT_NEAR(out[static_cast<std::size_t>(20 * y + x)], exact_sample(block, quantisation, x, y), 0.51);
      }
      ASSERT_EQ(out[static_cast<std::size_t>(20 * y + 8)], 0) << "nothing is written beside the block";
    }
  }
}

TEST(BlockTransform, SurvivesTheLargestNumbers) {
  if (avx2_transform() == nullptr) GTEST_SKIP() << "this processor has no AVX2";
  Coefficients block;
  block.value.fill(INT16_MIN);
  std::array<std::uint16_t, 64> quantisation{};
  quantisation.fill(UINT16_MAX);
  std::array<std::uint8_t, 64> out{};
  EXPECT_NO_FATAL_FAILURE(avx2_transform()(block.value.data(), BlockScale::of(quantisation.data()), out.data(), 8));
}

TEST(CoefficientPlaces, AreTheZigzagTurned) {
  const std::set<int> places(kPlaceOfCoefficient.begin(), kPlaceOfCoefficient.begin() + 64);
  EXPECT_EQ(places.size(), 64U);
  EXPECT_EQ(kPlaceOfCoefficient[0], 0);
  EXPECT_EQ(kPlaceOfCoefficient[1], 8) << "to the right";
  EXPECT_EQ(kPlaceOfCoefficient[2], 1);
  EXPECT_EQ(kPlaceOfCoefficient[3], 2);
  EXPECT_EQ(kPlaceOfCoefficient[62], 55);
  EXPECT_EQ(kPlaceOfCoefficient[63], 63);
  for (std::size_t k = 64; k < kPlaceOfCoefficient.size(); ++k) EXPECT_EQ(kPlaceOfCoefficient[k], kNowhere);
}

}  // namespace
}  // namespace stash
