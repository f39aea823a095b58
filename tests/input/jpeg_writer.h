#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stash {

enum class JpegColors { ycc, gray, rgb, cmyk };

struct JpegVariant {
  JpegColors colors = JpegColors::ycc;
  int h_samp = 2;  // of the first component; the others have 1
  int v_samp = 2;
  bool progressive = false;
  int restart_rows = 0;  // MCU rows between restart markers; 0: none
  int quality = 92;
};

// `rgb` has 3 * width * height bytes; CMYK files are made of them with black 255, Adobe's nothing.
std::vector<std::uint8_t> write_jpeg(std::span<const std::uint8_t> rgb, int width, int height,
                                     const JpegVariant& variant = {});

// Whole image as libjpeg decodes it by default, rows of red, green, blue.
std::vector<std::uint8_t> decode_reference(std::span<const std::uint8_t> file);

// A smooth picture; `detail` is the frequency of what is in it.
std::vector<std::uint8_t> test_picture(int width, int height, double detail = 1);

}  // namespace stash
