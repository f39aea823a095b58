#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stash/input/image/axis_weights.h"
#include "stash/input/image/crop.h"
#include "stash/input/image/resize_kernels.h"
#include "stash/input/jpeg/plane.h"

namespace stash {

// What is done to a pixel of each channel (red, green, blue; 0 to 255) last: scale * value + offset.
struct PixelFormat {
  std::array<float, 3> scale{1, 1, 1};
  std::array<float, 3> offset{0, 0, 0};
};

// To mean 0 and standard deviation 1 over ImageNet, as torchvision's models expect.
PixelFormat imagenet_normalisation();

// Resizes crops of decoded images to squares of colour planes. Keeps its buffers; one per worker.
class ImageResizer {
 public:
  explicit ImageResizer(int size, const ResizeKernels& kernels = fastest_kernels());

  // `crop` in pixels of the file; writes 3 * size * size floats: all red, all green, all blue.
  void resize(const DecodedImage& image, const CropBox& crop, bool flip, const PixelFormat& format, float* out);

 private:
  struct Filter {
    AxisWeights vertical, horizontal;
  };

  void compute(Filter& filter, const Plane& plane, const CropBox& crop, bool flip) const;
  void resize_strip(const Plane& plane, const Filter& filter, int row, std::int16_t* out);
  void convert_strip(ColorModel color, int row, const PixelFormat& format, float* out) const;

  int size_;
  const ResizeKernels& kernels_;
  std::array<Filter, 3> filters_;
  std::vector<std::int16_t> columns_;
  std::array<std::vector<std::int16_t>, 3> strips_;
};

}  // namespace stash
