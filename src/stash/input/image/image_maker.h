#pragma once

#include "stash/input/image/image_resizer.h"
#include "stash/input/jpeg/jpeg_decoder.h"
#include "stash/input/sample_maker.h"

namespace stash {

// A JPEG file to a training sample: random resized crop, flip every second time, normalised planes.
class ImageMaker final : public SampleMaker {
 public:
  explicit ImageMaker(int size) : size_(size), resizer_(size) {}

  void make(std::span<const std::uint8_t> bytes, std::uint64_t seed, void* out, MakeTime& time) override;

 private:
  int size_;
  JpegDecoder decoder_;
  ImageResizer resizer_;
};

}  // namespace stash
