#include <gtest/gtest.h>

#include <vector>

#include "jpeg_writer.h"
#include "reference_resize.h"
#include "stash/input/image/image_resizer.h"
#include "stash/input/jpeg/jpeg_decoder.h"

namespace stash {
namespace {

constexpr int kSide = 64;

std::vector<float> resized(std::span<const std::uint8_t> file, const CropBox& crop, int size, bool flip = false,
                           const ResizeKernels& kernels = fastest_kernels()) {
  JpegDecoder decoder;
  ImageResizer resizer(size, kernels);
  std::vector<float> out(static_cast<std::size_t>(3 * size * size));
  decoder.read_header(file);
  resizer.resize(decoder.decode(crop, size), crop, flip, {}, out.data());
  return out;
}

struct Case {
  const char* name;
  JpegVariant variant;
  int width = 101;
  int height = 75;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class EveryKindOfJpeg : public testing::TestWithParam<Case> {};

TEST_P(EveryKindOfJpeg, IsResizedAsPillowDoes) {
  const auto& [name, variant, width, height] = GetParam();
  const auto file = write_jpeg(test_picture(width, height), width, height, variant);
  const auto whole = decode_reference(file);
  for (const CropBox crop : {CropBox{0, 0, width, height},
                             {width / 3, height / 4, width / 2, height / 2},
                             {width - 9, height - 11, 9, 11},
                             {0, height - 1, width, 1},
                             {5, 3, 1, 1}}) {
    const auto distance = pixel_distance(resized(file, crop, kSide), reference_resize(whole, width, crop, kSide));
    // Half a level comes from the whole numbers that the reference starts from.
    EXPECT_LT(distance.mean, 0.8) << name << " crop " << crop.x << "," << crop.y << " " << crop.width << "x"
                                  << crop.height;
    EXPECT_LT(distance.largest, 5) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Jpeg, EveryKindOfJpeg,
                         testing::Values(Case{"k420", {}}, Case{"k422", {.v_samp = 1}}, Case{"k440", {.h_samp = 1}},
                                         Case{"k444", {.h_samp = 1, .v_samp = 1}},
                                         Case{"k411", {.h_samp = 4, .v_samp = 1}},
                                         Case{"k410", {.h_samp = 4, .v_samp = 2}},
                                         Case{"kgray", {.colors = JpegColors::gray, .h_samp = 1, .v_samp = 1}},
                                         Case{"kgray_with_sampling_factors", {.colors = JpegColors::gray}},
                                         Case{"krgb", {.colors = JpegColors::rgb, .h_samp = 1, .v_samp = 1}},
                                         Case{"kcmyk", {.colors = JpegColors::cmyk, .h_samp = 1, .v_samp = 1}},
                                         Case{"kprogressive", {.progressive = true}},
                                         Case{"krestart_markers", {.restart_rows = 1}},
                                         Case{"kmultiples_of_the_mcu", {}, 96, 64}, Case{"kone_mcu", {}, 16, 16}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Resize, WorksForImagesOfAnySmallSize) {
  for (int width = 6; width < 40; width += 3) {
    for (const int height : {4, 8, 15, 33}) {
      const auto file = write_jpeg(test_picture(width, height), width, height);
      const CropBox crop{0, 0, width, height};
      const auto distance =
          pixel_distance(resized(file, crop, 24), reference_resize(decode_reference(file), width, crop, 24));
      EXPECT_LT(distance.mean, 0.8) << width << "x" << height;
    }
  }
}

TEST(Resize, WorksForAnImageOfOnePixel) {
  const std::vector<std::uint8_t> red{200, 10, 10};
  const auto pixels = resized(write_jpeg(red, 1, 1), {0, 0, 1, 1}, 20);
  EXPECT_NEAR(pixels[0], 200, 6);
  EXPECT_NEAR(pixels[400], 10, 6);
}

TEST(Resize, DecodesAtASmallerScaleWhereTheCropIsTwiceAsLarge) {
  const int width = 640, height = 480;
  const auto file = write_jpeg(test_picture(width, height, 0.25), width, height, {.progressive = true});
  JpegDecoder decoder;
  decoder.read_header(file);
  EXPECT_EQ(decoder.decode({0, 0, 640, 480}, 241).denominator, 1);
  decoder.read_header(file);
  EXPECT_EQ(decoder.decode({0, 0, 640, 480}, 240).denominator, 2);
  decoder.read_header(file);
  EXPECT_EQ(decoder.decode({0, 0, 640, 480}, 20).denominator, 8);
  for (const int size : {56, 112, 224}) {
    const CropBox crop{33, 21, 600, 450};
    const auto distance =
        pixel_distance(resized(file, crop, size), reference_resize(decode_reference(file), width, crop, size));
    EXPECT_LT(distance.mean, 1) << size;
  }
}

TEST(Resize, FlipMirrors) {
  const auto file = write_jpeg(test_picture(90, 70), 90, 70);
  const auto plain = resized(file, {4, 5, 70, 60}, 33);
  const auto mirrored = resized(file, {4, 5, 70, 60}, 33, true);
  for (int row = 0; row < 3 * 33; ++row) {
    for (int x = 0; x < 33; ++x) {
      ASSERT_NEAR(plain[static_cast<std::size_t>(row * 33 + x)], mirrored[static_cast<std::size_t>(row * 33 + 32 - x)],
                  1e-4);
    }
  }
}

TEST(Resize, TheVectorUnitsGiveWhatThePortableLoopsGive) {
  if (avx2_kernels() == nullptr) GTEST_SKIP() << "this processor has no AVX2";
  for (const int size : {1, 15, 16, 17, 64, 224}) {
    for (const JpegColors colors : {JpegColors::ycc, JpegColors::gray}) {
      const auto file = write_jpeg(test_picture(300, 200), 300, 200, {.colors = colors});
      const auto fast = resized(file, {11, 7, 250, 180}, size, false, *avx2_kernels());
      const auto slow = resized(file, {11, 7, 250, 180}, size, false, portable_kernels());
      for (std::size_t i = 0; i < fast.size(); ++i) ASSERT_NEAR(fast[i], slow[i], 1e-3) << size << " " << i;
    }
  }
}

TEST(Resize, NormalisesAsTorchvision) {
  const PixelFormat format = imagenet_normalisation();
  for (std::size_t c = 0; c < 3; ++c) {
    const std::array<float, 3> mean{0.485F, 0.456F, 0.406F}, deviation{0.229F, 0.224F, 0.225F};
    EXPECT_NEAR(format.scale[c] * 77 + format.offset[c], (77.0F / 255 - mean[c]) / deviation[c], 1e-5);
  }
}

}  // namespace
}  // namespace stash
