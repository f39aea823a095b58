#include "jpeg_writer.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

// jpeglib.h needs stdio.h before it.
#include <jpeglib.h>

namespace stash {

namespace {

J_COLOR_SPACE stored_as(JpegColors colors) {
  switch (colors) {
    case JpegColors::gray:
      return JCS_GRAYSCALE;
    case JpegColors::rgb:
      return JCS_RGB;
    case JpegColors::cmyk:
      return JCS_CMYK;
    default:
      return JCS_YCbCr;
  }
}

std::vector<std::uint8_t> as_input(std::span<const std::uint8_t> rgb, bool cmyk) {
  std::vector<std::uint8_t> pixels;
  for (std::size_t i = 0; i < rgb.size(); i += 3) {
    pixels.insert(pixels.end(), {rgb[i], rgb[i + 1], rgb[i + 2]});
    if (cmyk) pixels.push_back(255);
  }
  return pixels;
}

}  // namespace

std::vector<std::uint8_t> write_jpeg(std::span<const std::uint8_t> rgb, int width, int height,
                                     const JpegVariant& variant) {
  const bool cmyk = variant.colors == JpegColors::cmyk;
  std::vector<std::uint8_t> pixels = as_input(rgb, cmyk);
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long bytes = 0;
  jpeg_mem_dest(&info, &memory, &bytes);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = cmyk ? 4 : 3;
  info.in_color_space = cmyk ? JCS_CMYK : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, stored_as(variant.colors));
  info.comp_info[0].h_samp_factor = variant.h_samp;
  info.comp_info[0].v_samp_factor = variant.v_samp;
  jpeg_set_quality(&info, variant.quality, TRUE);
  info.restart_in_rows = variant.restart_rows;
  if (variant.progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row =
        pixels.data() + info.next_scanline * info.image_width * static_cast<JDIMENSION>(info.input_components);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::vector<std::uint8_t> file(memory, memory + bytes);
  std::free(memory);
  return file;
}

std::vector<std::uint8_t> decode_reference(std::span<const std::uint8_t> file) {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, file.data(), file.size());
  jpeg_read_header(&info, TRUE);
  const bool cmyk = info.jpeg_color_space == JCS_CMYK;
  info.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&info);
  std::vector<std::uint8_t> rgb;
  std::vector<std::uint8_t> line(info.output_width * 4);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = line.data();
    jpeg_read_scanlines(&info, &row, 1);
    for (std::size_t x = 0; x < info.output_width; ++x) {
      const std::uint8_t* const pixel = line.data() + x * (cmyk ? 4 : 3);
      for (int c = 0; c < 3; ++c) {
        rgb.push_back(static_cast<std::uint8_t>(cmyk ? std::lround(pixel[c] * pixel[3] / 255.0) : pixel[c]));
      }
    }
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return rgb;
}

std::vector<std::uint8_t> test_picture(int width, int height, double detail) {
  std::vector<std::uint8_t> rgb;
  const auto level = [](double value) { return static_cast<std::uint8_t>(std::lround(128 + 90 * value)); };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      rgb.push_back(level(std::sin(detail * x * 0.11) * std::cos(detail * y * 0.07)));
      rgb.push_back(level(std::sin(detail * (x * 0.05 + y * 0.31))));
      rgb.push_back(level(std::cos(detail * (x * 0.23 - y * 0.02))));
    }
  }
  return rgb;
}

}  // namespace stash
