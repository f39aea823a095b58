#include "stash/input/image/axis_weights.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference_resize.h"

namespace stash {
namespace {

std::vector<double> dense(const AxisWeights& weights, int output, int samples) {
  const AxisWeights::Taps taps = weights.at(output);
  std::vector<double> row(static_cast<std::size_t>(samples), 0.0);
  for (int k = 0; k < taps.count; ++k) {
    row.at(static_cast<std::size_t>(taps.first + k)) = static_cast<double>(taps.weights[k]) / AxisWeights::kOne;
  }
  return row;
}

TEST(AxisWeights, ArePillowsWhetherTheImageShrinksOrGrows) {
  for (const int length : {1, 2, 17, 223, 224, 225, 375, 1500}) {
    AxisWeights weights;
    weights.compute({0, length, 224, false}, {1, false, length}, 0);
    for (int i = 0; i < 224; ++i) {
      const std::vector<double> expected = reference_weights(length, 224, i);
      const std::vector<double> found = dense(weights, i, length);
      for (std::size_t x = 0; x < expected.size(); ++x) ASSERT_NEAR(found[x], expected[x], 3e-4) << length << " " << i;
    }
  }
}

TEST(AxisWeights, SumToJustBelowOneSoThatNothingOverflows) {
  for (const AxisSampling sampling : {AxisSampling{1, false, 700}, {2, true, 350}, {4, false, 175}}) {
    AxisWeights weights;
    weights.compute({13, 600, 224, false}, sampling, 0);
    for (int i = 0; i < weights.outputs(); ++i) {
      const AxisWeights::Taps taps = weights.at(i);
      int sum = 0;
      for (int k = 0; k < taps.count; ++k) {
        EXPECT_GE(taps.weights[k], 0);
        sum += taps.weights[k];
      }
      EXPECT_EQ(sum, AxisWeights::kOne - 1);
    }
  }
}

TEST(AxisWeights, StayInsideTheSamplesThatTheCropNeeds) {
  AxisWeights weights;
  weights.compute({100, 50, 224, false}, {2, true, 200}, 49);
  for (int i = 0; i < 224; ++i) {
    const AxisWeights::Taps taps = weights.at(i);
    EXPECT_GE(taps.first, 0);
    EXPECT_LE(taps.first + taps.count, 27);  // samples 49 to 75
  }
}

TEST(AxisWeights, InterpolateChromaThreeToOne) {
  // Outputs are pixels, so what is left is the interpolation alone.
  AxisWeights weights;
  weights.compute({0, 8, 8, false}, {2, true, 4}, 0);
  const std::vector<std::vector<double>> expected{{1, 0, 0, 0},       {0.75, 0.25, 0, 0}, {0.25, 0.75, 0, 0},
                                                  {0, 0.75, 0.25, 0}, {0, 0.25, 0.75, 0}, {0, 0, 0.75, 0.25},
                                                  {0, 0, 0.25, 0.75}, {0, 0, 0, 1}};
  for (int i = 0; i < 8; ++i) {
    const std::vector<double> found = dense(weights, i, 4);
    for (std::size_t s = 0; s < 4; ++s) EXPECT_NEAR(found[s], expected[static_cast<std::size_t>(i)][s], 1e-4) << i;
  }
}

TEST(AxisWeights, ReversedIsTheSameFromTheOtherEnd) {
  AxisWeights forward, backward;
  forward.compute({3, 300, 224, false}, {1, false, 400}, 0);
  backward.compute({3, 300, 224, true}, {1, false, 400}, 0);
  for (int i = 0; i < 224; ++i) EXPECT_EQ(dense(forward, i, 400), dense(backward, 223 - i, 400));
}

}  // namespace
}  // namespace stash
