#include "stash/input/dataset/synthetic_image.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

// jpeglib.h needs stdio.h before it.
#include <jpeglib.h>

#include "stash/input/random.h"

namespace stash {

namespace {

constexpr int kQuality = 95;

// Values have this many bits behind the point while they are summed.
constexpr int kBits = 8;

// Random numbers on a grid with a cell of 2^shift pixels, interpolated between.
class Octave {
 public:
  Octave(int width, int height, int shift, int amplitude, Random& random)
      : shift_(shift),
        across_((width >> shift) + 2),
        values_(static_cast<std::size_t>(across_ * ((height >> shift) + 2))) {
    for (int& value : values_) value = static_cast<int>(random.below(2 * amplitude + 1)) - amplitude;
  }

  void add_row(int y, std::vector<int>& row) const {
    const int cell = 1 << shift_;
    const int* const upper = values_.data() + (y >> shift_) * across_;
    const int down = y & (cell - 1);
    const auto at = [&](int i) { return upper[i] * (cell - down) + upper[across_ + i] * down; };
    const auto width = static_cast<int>(row.size());
    for (int start = 0, i = 0; start < width; start += cell, ++i) {
      const int left = at(i);
      const int slope = at(i + 1) - left;
      for (int x = 0; x < std::min(cell, width - start); ++x) {
        row[static_cast<std::size_t>(start + x)] += (left * cell + slope * x) >> (2 * shift_);
      }
    }
  }

 private:
  int shift_;
  int across_;
  std::vector<int> values_;
};

// An ellipse with a hard edge that is lighter or darker and of another colour than what lies behind it.
struct Blob {
  std::int64_t x, y, radius_x, radius_y;
  std::array<int, 3> tint;

  bool covers(std::int64_t px, std::int64_t py) const {
    const std::int64_t dx = (px - x) * radius_y;
    const std::int64_t dy = (py - y) * radius_x;
    return dx * dx + dy * dy < radius_x * radius_x * radius_y * radius_y;
  }
};

constexpr int kBlobs = 12;
constexpr int kGrainBits = 5;  // texture and sensor noise: the sum of two numbers of this many bits,
constexpr int kMinGrain = 64;  // times this over 256, which differs between pictures as their files' sizes do
constexpr int kMaxGrain = 980;

class Picture {
 public:
  Picture(int width, int height, std::uint64_t seed) : width_(width), height_(height), random_(seed) {
    // Amplitudes fall with the cell's size, as in photographs.
    for (int shift = 7, amplitude = 45; shift >= 1; --shift, amplitude = amplitude * 3 / 4) {
      light_.emplace_back(width, height, shift, amplitude << kBits, random_);
    }
    for (auto& colour : colours_) {
      for (const int shift : {7, 6, 4}) colour.emplace_back(width, height, shift, 14 << kBits, random_);
    }
    texture_.emplace_back(width, height, 6, 256, random_);
    for (Blob& blob : blobs_) blob = random_blob();
    grain_ = kMinGrain + static_cast<int>(random_.below(kMaxGrain - kMinGrain));
  }

  void write_row(int y, std::uint8_t* out) {
    light_row_.assign(static_cast<std::size_t>(width_), 128 << kBits);
    for (const Octave& octave : light_) octave.add_row(y, light_row_);
    texture_row_.assign(static_cast<std::size_t>(width_), 128);
    texture_[0].add_row(y, texture_row_);
    for (std::size_t c = 0; c < 3; ++c) {
      colour_rows_[c].assign(static_cast<std::size_t>(width_), 0);
      for (const Octave& octave : colours_[c]) octave.add_row(y, colour_rows_[c]);
    }
    for (const Blob& blob : blobs_) add_blob(blob, y);
    for (int x = 0; x < width_; ++x) write_pixel(static_cast<std::size_t>(x), out + 3 * x);
  }

 private:
  Blob random_blob() {
    Blob blob{random_.below(width_),
              random_.below(height_),
              4 + random_.below(width_ / 6 + 1),
              4 + random_.below(height_ / 6 + 1),
              {}};
    for (int& tint : blob.tint) tint = static_cast<int>(random_.below(121) - 60) << kBits;
    return blob;
  }

  void add_blob(const Blob& blob, int y) {
    if (std::abs(blob.y - y) > blob.radius_y) return;
    for (int x = 0; x < width_; ++x) {
      if (!blob.covers(x, y)) continue;
      for (std::size_t c = 0; c < 3; ++c) colour_rows_[c][static_cast<std::size_t>(x)] += blob.tint[c];
    }
  }

  void write_pixel(std::size_t x, std::uint8_t* out) {
    const std::uint64_t bits = random_.next();
    constexpr int kMask = (1 << kGrainBits) - 1;
    const int noise = static_cast<int>(bits & kMask) + static_cast<int>((bits >> 32) & kMask) - kMask;
    // Texture is strong in some places and nearly absent in others.
    const int strength = std::clamp(texture_row_[x], 24, 384) * grain_ / 256;
    for (std::size_t c = 0; c < 3; ++c) {
      const int value = (light_row_[x] + colour_rows_[c][x] + noise * strength) >> kBits;
      out[c] = static_cast<std::uint8_t>(std::clamp(value, 0, 255));
    }
  }

  int width_;
  int height_;
  Random random_;
  std::vector<Octave> light_;
  std::array<std::vector<Octave>, 3> colours_;
  std::vector<Octave> texture_;
  std::array<Blob, kBlobs> blobs_{};
  int grain_ = 0;
  std::vector<int> light_row_, texture_row_;
  std::array<std::vector<int>, 3> colour_rows_;
};

}  // namespace

std::vector<std::uint8_t> synthetic_image(int width, int height, std::uint64_t seed) {
  Picture picture(width, height, seed);
  std::vector<std::uint8_t> rgb(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y)
    picture.write_row(y, rgb.data() + 3 * static_cast<std::size_t>(y) * static_cast<std::size_t>(width));
  return rgb;
}

std::vector<std::uint8_t> encode_jpeg(const std::vector<std::uint8_t>& rgb, int width, int height) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long bytes = 0;
  jpeg_mem_dest(&info, &memory, &bytes);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, kQuality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row =
        const_cast<JSAMPROW>(rgb.data()) + 3 * static_cast<std::size_t>(info.next_scanline) * info.image_width;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const std::unique_ptr<unsigned char, decltype(&std::free)> owner(memory, std::free);
  return {memory, memory + bytes};
}

std::vector<std::vector<std::uint8_t>> sample_images() {
  constexpr int kImages = 8, kWidth = 500, kHeight = 375;
  std::vector<std::vector<std::uint8_t>> images;
  for (int i = 0; i < kImages; ++i) {
    images.push_back(encode_jpeg(synthetic_image(kWidth, kHeight, static_cast<std::uint64_t>(i)), kWidth, kHeight));
  }
  return images;
}

}  // namespace stash
