#include "stash/input/image/crop.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stash {
namespace {

TEST(RandomResizedCrop, StaysInsideTheImage) {
  Random random(1);
  for (const auto& [width, height] : {std::pair{500, 375}, {1, 1}, {7, 3}, {1000, 10}, {10, 1000}, {65000, 1}}) {
    for (int i = 0; i < 500; ++i) {
      const CropBox box = random_resized_crop(width, height, random);
      ASSERT_GE(box.x, 0);
      ASSERT_GE(box.y, 0);
      ASSERT_GE(box.width, 1);
      ASSERT_GE(box.height, 1);
      ASSERT_LE(box.x + box.width, width);
      ASSERT_LE(box.y + box.height, height);
    }
  }
}

TEST(RandomResizedCrop, HasTorchvisionsAreasAndAspects) {
  Random random(2);
  double smallest = 1, largest = 0, area_sum = 0;
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i) {
    const CropBox box = random_resized_crop(1000, 1000, random);
    const double area = box.width * box.height / 1e6;
    const double aspect = static_cast<double>(box.width) / box.height;
    smallest = std::min(smallest, area);
    largest = std::max(largest, area);
    area_sum += area;
    ASSERT_GT(aspect, 0.74);
    ASSERT_LT(aspect, 1.35);
  }
  EXPECT_NEAR(smallest, 0.08, 0.005);
  EXPECT_GT(largest, 0.95);
  // Uniform between 0.08 and 1, less the large ones that do not fit with an aspect of their own.
  EXPECT_NEAR(area_sum / kCount, 0.50, 0.03);
}

TEST(RandomResizedCrop, TakesTheMiddleOfAnImageThatIsTooLong) {
  Random random(3);
  const CropBox box = random_resized_crop(1000, 10, random);
  EXPECT_EQ(box.height, 10);
  EXPECT_EQ(box.width, 13);
  EXPECT_EQ(box.x, 493);
}

TEST(RandomResizedCrop, TheSeedDeterminesTheBox) {
  Random a(4), b(4), c(5);
  const CropBox first = random_resized_crop(500, 375, a);
  const CropBox again = random_resized_crop(500, 375, b);
  const CropBox other = random_resized_crop(500, 375, c);
  EXPECT_EQ(first.x, again.x);
  EXPECT_EQ(first.width, again.width);
  EXPECT_TRUE(first.x != other.x || first.width != other.width);
}

}  // namespace
}  // namespace stash
