#include "stash/input/image/axis_weights.h"

#include <algorithm>
#include <cmath>

namespace stash {

void AxisWeights::compute(const AxisCrop& crop, const AxisSampling& sampling, int first_sample) {
  const double scale = static_cast<double>(crop.length) / crop.outputs;
  const double support = std::max(scale, 1.0);  // a triangle of this half width
  const auto widest = static_cast<std::size_t>(2 * std::ceil(support) + 3);
  stride_ = widest + 4;
  first_.resize(static_cast<std::size_t>(crop.outputs));
  count_.resize(first_.size());
  weights_.resize(first_.size() * stride_);
  pixel_weights_.resize(stride_);
  sample_weights_.resize(stride_);
  for (int i = 0; i < crop.outputs; ++i) {
    const double center = crop.begin + (i + 0.5) * scale;
    const int begin = std::max(crop.begin, static_cast<int>(center - support + 0.5));
    const int end = std::min(crop.begin + crop.length, static_cast<int>(center + support + 0.5));
    const auto slope = static_cast<float>(1 / support);
    const auto start = static_cast<float>((begin - center + 0.5) / support);
    for (int k = 0; k < end - begin; ++k) {
      pixel_weights_[static_cast<std::size_t>(k)] =
          std::max(0.0F, 1.0F - std::fabs(start + static_cast<float>(k) * slope));
    }
    fold(sampling, begin, end - begin);
    store(static_cast<std::size_t>(crop.reversed ? crop.outputs - 1 - i : i), first_sample);
  }
}

// From pixels to the samples that they are interpolated from.
void AxisWeights::fold(const AxisSampling& sampling, int pixel_begin, int pixels) {
  if (sampling.factor == 1) {
    sample_begin_ = pixel_begin;
    sample_count_ = pixels;
    std::copy_n(pixel_weights_.begin(), pixels, sample_weights_.begin());
    return;
  }
  const int last = sampling.samples - 1;
  const auto sample_of = [&](int pixel) { return std::min(pixel / sampling.factor, last); };
  const int margin = sampling.smooth ? 1 : 0;
  sample_begin_ = std::max(0, sample_of(pixel_begin) - margin);
  sample_count_ = std::min(last, sample_of(pixel_begin + pixels - 1) + margin) - sample_begin_ + 1;
  std::fill_n(sample_weights_.begin(), sample_count_, 0.0F);
  for (int k = 0; k < pixels; ++k) {
    const int pixel = pixel_begin + k;
    const int sample = sample_of(pixel);
    const float weight = pixel_weights_[static_cast<std::size_t>(k)];
    const int neighbour = std::clamp(sample + (pixel % 2 == 0 ? -1 : 1), 0, last);
    const float own = sampling.smooth ? 0.75F : 1.0F;
    sample_weights_[static_cast<std::size_t>(sample - sample_begin_)] += own * weight;
    if (sampling.smooth) sample_weights_[static_cast<std::size_t>(neighbour - sample_begin_)] += (1 - own) * weight;
  }
}

// As whole numbers whose sum is just below kOne, so that no sum of samples overflows 16 bits.
void AxisWeights::store(std::size_t output, int first_sample) {
  float sum = 0;
  for (int k = 0; k < sample_count_; ++k) sum += sample_weights_[static_cast<std::size_t>(k)];
  const float to_whole = static_cast<float>(kOne - 1) / sum;
  std::int16_t* const weights = weights_.data() + output * stride_;
  int rest = kOne - 1;
  int largest = 0;
  for (int k = 0; k < sample_count_; ++k) {
    weights[k] = static_cast<std::int16_t>(sample_weights_[static_cast<std::size_t>(k)] * to_whole);
    rest -= weights[k];
    if (weights[k] > weights[largest]) largest = k;
  }
  weights[largest] = static_cast<std::int16_t>(weights[largest] + rest);
  first_[output] = sample_begin_ - first_sample;
  count_[output] = sample_count_;
}

}  // namespace stash
