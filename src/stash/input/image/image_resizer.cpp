#include "stash/input/image/image_resizer.h"

#include <algorithm>

namespace stash {

namespace {

constexpr std::array<float, 3> kImagenetMean{0.485F, 0.456F, 0.406F};
constexpr std::array<float, 3> kImagenetDeviation{0.229F, 0.224F, 0.225F};

bool same(const AxisSampling& a, const AxisSampling& b) {
  return a.factor == b.factor && a.smooth == b.smooth && a.samples == b.samples;
}

bool same_filter(const Plane& a, const Plane& b) {
  return same(a.horizontal, b.horizontal) && same(a.vertical, b.vertical) && a.x0 == b.x0 && a.y0 == b.y0;
}

}  // namespace

PixelFormat imagenet_normalisation() {
  PixelFormat format;
  for (std::size_t i = 0; i < 3; ++i) {
    format.scale[i] = 1 / (255 * kImagenetDeviation[i]);
    format.offset[i] = -kImagenetMean[i] / kImagenetDeviation[i];
  }
  return format;
}

ImageResizer::ImageResizer(int size, const ResizeKernels& kernels) : size_(size), kernels_(kernels) {
  for (auto& strip : strips_) strip.resize(static_cast<std::size_t>(kStrip * padded(size)));
}

void ImageResizer::resize(const DecodedImage& image, const CropBox& crop, bool flip, const PixelFormat& format,
                          float* out) {
  const auto planes = static_cast<std::size_t>(image.planes);
  std::array<std::size_t, 3> filter_of{};  // chroma planes usually share one
  for (std::size_t i = 0; i < planes; ++i) {
    filter_of[i] = i;
    for (std::size_t j = 0; j < i; ++j) {
      if (same_filter(image.plane[i], image.plane[j])) filter_of[i] = filter_of[j];
    }
    if (filter_of[i] == i) compute(filters_[i], image.plane[i], crop, flip);
    const auto columns = static_cast<std::size_t>(padded(image.plane[i].width) * kStrip);
    if (columns_.size() < columns) columns_.resize(columns);
  }
  for (int row = 0; row < size_; row += kStrip) {
    for (std::size_t i = 0; i < planes; ++i) {
      resize_strip(image.plane[i], filters_[filter_of[i]], row, strips_[i].data());
    }
    convert_strip(image.color, row, format, out);
  }
}

void ImageResizer::compute(Filter& filter, const Plane& plane, const CropBox& crop, bool flip) const {
  filter.horizontal.compute({crop.x, crop.width, size_, flip}, plane.horizontal, plane.x0);
  filter.vertical.compute({crop.y, crop.height, size_, false}, plane.vertical, plane.y0);
}

void ImageResizer::resize_strip(const Plane& plane, const Filter& filter, int row, std::int16_t* out) {
  kernels_.resize_strip({&plane, &filter.vertical, &filter.horizontal, row, columns_.data(), out});
}

void ImageResizer::convert_strip(ColorModel color, int row, const PixelFormat& format, float* out) const {
  const std::int64_t channel = static_cast<std::int64_t>(size_) * size_;
  const auto convert = color == ColorModel::ycc ? kernels_.convert_ycc : kernels_.convert_rgb;
  const bool gray = color == ColorModel::gray;
  for (int r = 0; r < std::min(kStrip, size_ - row); ++r) {
    const int at = r * padded(size_);
    ColorArguments arguments;
    arguments.y = strips_[0].data() + at;
    arguments.cb = strips_[gray ? 0 : 1].data() + at;
    arguments.cr = strips_[gray ? 0 : 2].data() + at;
    arguments.count = size_;
    for (std::size_t i = 0; i < 3; ++i) {
      arguments.out[i] = out + static_cast<std::int64_t>(i) * channel + static_cast<std::int64_t>(row + r) * size_;
      arguments.scale[i] = format.scale[i];
      arguments.offset[i] = format.offset[i];
    }
    convert(arguments);
  }
}

}  // namespace stash
