#pragma once

#include <cstdint>

#include "stash/input/image/axis_weights.h"
#include "stash/input/jpeg/plane.h"

namespace stash {

// Output rows that are made at a time, and columns to which their buffers are rounded up.
inline constexpr int kStrip = 16;
// Samples between passes have this many bits behind the point.
inline constexpr int kFractionBits = 7;

// ITU-R BT.601, as JFIF prescribes it.
inline constexpr float kRedOfCr = 1.402F;
inline constexpr float kGreenOfCb = 0.344136F;
inline constexpr float kGreenOfCr = 0.714136F;
inline constexpr float kBlueOfCb = 1.772F;

constexpr int padded(int width) { return (width + kStrip - 1) / kStrip * kStrip; }

// Output rows [row, row + kStrip) of a plane; rows behind the last one repeat it.
struct StripArguments {
  const Plane* plane = nullptr;
  const AxisWeights* vertical = nullptr;
  const AxisWeights* horizontal = nullptr;
  int row = 0;
  std::int16_t* columns = nullptr;  // scratch: padded(plane width) * kStrip
  std::int16_t* out = nullptr;      // kStrip rows of padded(outputs)
};

// YCbCr with kFractionBits to planar colour: scale * clamp(value, 0, 255) + offset for each channel.
struct ColorArguments {
  const std::int16_t* y = nullptr;
  const std::int16_t* cb = nullptr;
  const std::int16_t* cr = nullptr;
  int count = 0;
  float* out[3] = {};
  float scale[3] = {};
  float offset[3] = {};
};

// The inner loops, once for each kind of processor. All give the same strips; colours differ by rounding only.
struct ResizeKernels {
  const char* name;
  void (*resize_strip)(const StripArguments&);
  void (*convert_ycc)(const ColorArguments&);
  void (*convert_rgb)(const ColorArguments&);  // y, cb, cr hold red, green, blue
};

const ResizeKernels& portable_kernels();
const ResizeKernels* avx2_kernels();     // null where the processor has no AVX2
const ResizeKernels& fastest_kernels();  // of this processor

}  // namespace stash
