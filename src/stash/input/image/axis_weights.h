#pragma once

#include <cstdint>
#include <vector>

#include "stash/input/jpeg/plane.h"

namespace stash {

// A crop along one axis, in pixels of the file, and the pixels to which it is resized.
struct AxisCrop {
  int begin = 0;
  int length = 0;
  int outputs = 0;
  bool reversed = false;  // mirrored
};

// For each output pixel the samples of a plane that it is made of and how much of each.
class AxisWeights {
 public:
  static constexpr int kOne = 1 << 15;  // the scale of a weight; 32767 stands for 1

  // Antialiased bilinear as Pillow does it after cropping, and the interpolation of subsampled chroma before
  // it, in one filter. `first_sample` is the component's sample at which the plane starts. Keeps its memory.
  void compute(const AxisCrop& crop, const AxisSampling& sampling, int first_sample);

  struct Taps {
    int first = 0;  // sample of the plane
    int count = 0;
    const std::int16_t* weights = nullptr;
  };
  Taps at(int output) const {
    const auto i = static_cast<std::size_t>(output);
    return {first_[i], count_[i], weights_.data() + i * stride_};
  }
  int outputs() const { return static_cast<int>(first_.size()); }

 private:
  void fold(const AxisSampling& sampling, int pixel_begin, int pixels);
  void store(std::size_t output, int first_sample);

  std::size_t stride_ = 0;
  std::vector<int> first_;
  std::vector<int> count_;
  std::vector<std::int16_t> weights_;
  // Of the current output, in samples of the component.
  std::vector<float> pixel_weights_;
  std::vector<float> sample_weights_;
  int sample_begin_ = 0;
  int sample_count_ = 0;
};

}  // namespace stash
