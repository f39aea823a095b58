#include "stash/input/image/image_maker.h"

#include "stash/core/clock.h"

namespace stash {

void ImageMaker::make(std::span<const std::uint8_t> bytes, std::uint64_t seed, void* out, MakeTime& time) {
  const std::int64_t start_ns = now_ns();
  Random random(seed);
  const ImageSize size = decoder_.read_header(bytes);
  const CropBox crop = random_resized_crop(size.width, size.height, random);
  const bool flip = random.uniform() < 0.5;
  const DecodedImage& image = decoder_.decode(crop, size_);
  const std::int64_t decoded_ns = now_ns();
  resizer_.resize(image, crop, flip, imagenet_normalisation(), static_cast<float*>(out));
  time.decode_ns += decoded_ns - start_ns;
  time.augment_ns += now_ns() - decoded_ns;
}

}  // namespace stash
