#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "stash/input/image/crop.h"
#include "stash/input/jpeg/plane.h"

namespace stash {

// Limits against files that were made to exhaust memory or time.
inline constexpr std::int64_t kMaxImagePixels = 100'000'000;
inline constexpr int kMaxScans = 100;  // progressive files of cameras and editors have about ten
inline constexpr std::int64_t kMaxScannedPixels = 2'000'000'000;  // pixels times scans

struct ImageSize {
  int width = 0;
  int height = 0;
};

// Decodes the part of a JPEG file that a crop needs. Keeps its buffers; one per worker.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  // Both throw BrokenSample. `file` must stay until decode() returned.
  ImageSize read_header(std::span<const std::uint8_t> file);
  // After read_header. `target` is the side of the square that the crop will be resized to: where the crop is
  // at least twice as large, libjpeg decodes at a half, a quarter or an eighth. The usual baseline files do not go
  // through libjpeg, and at full scale, which is faster still. Valid until the next call.
  const DecodedImage& decode(const CropBox& crop, int target);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stash
