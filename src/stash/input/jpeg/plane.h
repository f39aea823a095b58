#pragma once

#include <array>
#include <cstdint>

namespace stash {

// How samples of a component lie on the file's pixels along one axis.
struct AxisSampling {
  int factor = 1;       // pixels per sample: subsampled chroma, or decoded at a smaller scale
  bool smooth = false;  // pixels between samples are interpolated 3:1 (libjpeg's "fancy" upsampling), else repeated
  int samples = 0;      // of the whole component; its outermost ones are repeated beyond the edge
};

// A rectangle of one component of an image. At least kPlanePadding bytes behind every row can be read.
struct Plane {
  const std::uint8_t* data = nullptr;  // sample (x0, y0) of the component
  std::int64_t stride = 0;
  int x0 = 0;
  int y0 = 0;
  int width = 0;  // samples that are there
  int height = 0;
  AxisSampling horizontal;
  AxisSampling vertical;
};

inline constexpr int kPlanePadding = 64;

enum class ColorModel { gray, ycc, rgb };

// The part of an image that a crop needs, as the decoder left it: components apart, chroma not interpolated.
struct DecodedImage {
  ColorModel color = ColorModel::gray;
  int planes = 1;
  std::array<Plane, 3> plane;
  int denominator = 1;  // the scale at which it was decoded
};

}  // namespace stash
