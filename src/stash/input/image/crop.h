#pragma once

#include "stash/input/random.h"

namespace stash {

// Part of an image, in pixels.
struct CropBox {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

// torchvision's RandomResizedCrop with its defaults: 8 % to 100 % of the area, 3:4 to 4:3; after ten tries that
// do not fit, the largest such box in the middle.
CropBox random_resized_crop(int width, int height, Random& random);

}  // namespace stash
