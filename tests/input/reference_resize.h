#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "stash/input/image/crop.h"

namespace stash {

// Pillow's antialiased bilinear filter along one axis, written down plainly: the weights of the pixels of a row of
// `length` for output `i` of `outputs`.
inline std::vector<double> reference_weights(int length, int outputs, int i) {
  const double scale = static_cast<double>(length) / outputs;
  const double support = std::max(scale, 1.0);
  const double center = (i + 0.5) * scale;
  std::vector<double> weights(static_cast<std::size_t>(length), 0.0);
  double sum = 0;
  for (int x = 0; x < length; ++x) {
    const double weight = std::max(0.0, 1 - std::fabs((x + 0.5 - center) / support));
    weights[static_cast<std::size_t>(x)] = weight;
    sum += weight;
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// A crop of rows of red, green, blue resized to planes of size x size, in double precision.
inline std::vector<double> reference_resize(std::span<const std::uint8_t> rgb, int image_width, const CropBox& crop,
                                            int size) {
  std::vector<double> middle(static_cast<std::size_t>(3 * size * crop.height));
  for (int x = 0; x < size; ++x) {
    const std::vector<double> weights = reference_weights(crop.width, size, x);
    for (int y = 0; y < crop.height; ++y) {
      for (int k = 0; k < crop.width; ++k) {
        const int pixel = 3 * ((crop.y + y) * image_width + crop.x + k);
        for (int c = 0; c < 3; ++c) {
          middle[static_cast<std::size_t>((c * crop.height + y) * size + x)] +=
              weights[static_cast<std::size_t>(k)] * rgb[static_cast<std::size_t>(pixel + c)];
        }
      }
    }
  }
  std::vector<double> out(static_cast<std::size_t>(3 * size * size));
  for (int y = 0; y < size; ++y) {
    const std::vector<double> weights = reference_weights(crop.height, size, y);
    for (int k = 0; k < crop.height; ++k) {
      for (int c = 0; c < 3; ++c) {
        for (int x = 0; x < size; ++x) {
          out[static_cast<std::size_t>((c * size + y) * size + x)] +=
              weights[static_cast<std::size_t>(k)] * middle[static_cast<std::size_t>((c * crop.height + k) * size + x)];
        }
      }
    }
  }
  return out;
}

// Mean and largest distance of two lists of pixels.
struct PixelDistance {
  double mean = 0;
  double largest = 0;
};

inline PixelDistance pixel_distance(std::span<const float> ours, std::span<const double> reference) {
  PixelDistance distance;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double d = std::fabs(static_cast<double>(ours[i]) - reference[i]);
    distance.mean += d / static_cast<double>(ours.size());
    distance.largest = std::max(distance.largest, d);
  }
  return distance;
}

}  // namespace stash
