#include "stash/input/image/crop.h"

#include <algorithm>
#include <cmath>

namespace stash {

namespace {

constexpr double kMinArea = 0.08;
constexpr double kMaxArea = 1.0;
constexpr double kMinAspect = 3.0 / 4.0;
constexpr double kMaxAspect = 4.0 / 3.0;
constexpr int kTries = 10;

int rounded(double value) { return static_cast<int>(std::lrint(value)); }

CropBox center_crop(int width, int height) {
  CropBox box{0, 0, width, height};
  const double aspect = static_cast<double>(width) / height;
  if (aspect < kMinAspect) box.height = std::clamp(rounded(width / kMinAspect), 1, height);
  if (aspect > kMaxAspect) box.width = std::clamp(rounded(height * kMaxAspect), 1, width);
  box.x = (width - box.width) / 2;
  box.y = (height - box.height) / 2;
  return box;
}

}  // namespace

CropBox random_resized_crop(int width, int height, Random& random) {
  const double area = static_cast<double>(width) * height;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const double target = area * random.uniform(kMinArea, kMaxArea);
    const double aspect = std::exp(random.uniform(std::log(kMinAspect), std::log(kMaxAspect)));
    const int w = rounded(std::sqrt(target * aspect));
    const int h = rounded(std::sqrt(target / aspect));
    if (w < 1 || w > width || h < 1 || h > height) continue;
    const int y = static_cast<int>(random.below(height - h + 1));
    const int x = static_cast<int>(random.below(width - w + 1));
    return {x, y, w, h};
  }
  return center_crop(width, height);
}

}  // namespace stash
