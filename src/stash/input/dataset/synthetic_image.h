#pragma once

#include <cstdint>
#include <vector>

namespace stash {

// A picture with what a photograph has: smooth light, edges of objects, texture in some places, sensor noise.
// The same bytes on every machine: whole numbers only. Rows of red, green, blue.
std::vector<std::uint8_t> synthetic_image(int width, int height, std::uint64_t seed);

// Baseline 4:2:0 at the quality at which 500 x 375 pixels of the above come to about 110 kB, ImageNet's mean.
std::vector<std::uint8_t> encode_jpeg(const std::vector<std::uint8_t>& rgb, int width, int height);

// Files of the size that rates of decoding are given for, 500 x 375 pixels, each of another content.
std::vector<std::vector<std::uint8_t>> sample_images();

}  // namespace stash
