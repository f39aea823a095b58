#include "stash/input/image/resize_kernels.h"

#include <algorithm>

namespace stash {

namespace {

constexpr float kFromFixed = 1.0F / (1 << kFractionBits);
constexpr int kHalfRange = 128 << kFractionBits;

// a * b / 2^15, rounded: what one instruction of the vector units does.
std::int16_t multiply_rounded(int a, int b) { return static_cast<std::int16_t>(((a * b >> 14) + 1) >> 1); }

void blend_rows(const StripArguments& a, int row, int width, std::int16_t* columns) {
  const AxisWeights::Taps taps = a.vertical->at(std::min(row, a.vertical->outputs() - 1));
  for (int x = 0; x < width; ++x) columns[x * kStrip] = 0;
  for (int k = 0; k < taps.count; ++k) {
    const std::uint8_t* const samples = a.plane->data + (taps.first + k) * a.plane->stride;
    for (int x = 0; x < width; ++x) {
      columns[x * kStrip] = static_cast<std::int16_t>(columns[x * kStrip] +
                                                      multiply_rounded(samples[x] << kFractionBits, taps.weights[k]));
    }
  }
}

void resize_strip(const StripArguments& a) {
  const int outputs = a.horizontal->outputs();
  for (int r = 0; r < kStrip; ++r) blend_rows(a, a.row + r, a.plane->width, a.columns + r);
  for (int x = 0; x < outputs; ++x) {
    const AxisWeights::Taps taps = a.horizontal->at(x);
    std::int16_t sums[kStrip] = {};
    for (int k = 0; k < taps.count; ++k) {
      const std::int16_t* const column = a.columns + (taps.first + k) * kStrip;
      for (int r = 0; r < kStrip; ++r) {
        sums[r] = static_cast<std::int16_t>(sums[r] + multiply_rounded(column[r], taps.weights[k]));
      }
    }
    for (int r = 0; r < kStrip; ++r) a.out[r * padded(outputs) + x] = sums[r];
  }
}

float clamped(float value) { return std::min(255.0F, std::max(0.0F, value)); }

void convert_ycc(const ColorArguments& a) {
  for (int i = 0; i < a.count; ++i) {
    const float y = static_cast<float>(a.y[i]) * kFromFixed;
    const float cb = static_cast<float>(a.cb[i] - kHalfRange) * kFromFixed;
    const float cr = static_cast<float>(a.cr[i] - kHalfRange) * kFromFixed;
    a.out[0][i] = a.scale[0] * clamped(y + kRedOfCr * cr) + a.offset[0];
    a.out[1][i] = a.scale[1] * clamped(y - kGreenOfCb * cb - kGreenOfCr * cr) + a.offset[1];
    a.out[2][i] = a.scale[2] * clamped(y + kBlueOfCb * cb) + a.offset[2];
  }
}

void convert_rgb(const ColorArguments& a) {
  const std::int16_t* const in[3] = {a.y, a.cb, a.cr};
  for (int channel = 0; channel < 3; ++channel) {
    const float scale = a.scale[channel] * kFromFixed;
    for (int i = 0; i < a.count; ++i) {
      a.out[channel][i] = scale * static_cast<float>(in[channel][i]) + a.offset[channel];
    }
  }
}

}  // namespace

const ResizeKernels& portable_kernels() {
  static constexpr ResizeKernels kKernels{"portable", resize_strip, convert_ycc, convert_rgb};
  return kKernels;
}

const ResizeKernels& fastest_kernels() {
  const ResizeKernels* const avx2 = avx2_kernels();
  return avx2 != nullptr ? *avx2 : portable_kernels();
}

}  // namespace stash
