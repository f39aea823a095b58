#include "stash/input/jpeg/jpeg_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "stash/input/jpeg/baseline_file.h"
#include "stash/input/jpeg/jpeg_library.h"
#include "stash/input/kept_buffer.h"

namespace stash {

namespace {

// jpeglib.h has no name for the state in which jpeg_crop_scanline may be called.
constexpr int kScanningState = 205;

// Samples that the decoder may write behind the columns that were asked for: it widens a narrow output by up to
// 16 pixels and finishes its last MCU, which has up to four blocks of eight.
constexpr int kMaxOverrun = 64;

int denominator_for(const CropBox& crop, int target) {
  int denominator = 1;
  while (denominator < 8 && std::min(crop.width, crop.height) >= 2 * denominator * target) denominator *= 2;
  return denominator;
}

std::uint8_t inverted_ink(int ink, int black) { return static_cast<std::uint8_t>((ink * black + 127) / 255); }

}  // namespace

struct JpegDecoder::Impl {
  // Half-open.
  struct Range {
    int begin = 0;
    int end = 0;
  };

  jpeg_decompress_struct& info() { return library.info; }
  const jpeg_decompress_struct& info() const { return library.info; }

  void read_header();
  void prepare(const CropBox& crop, int target, bool may_be_baseline);
  static Range needed_pixels(int begin, int length, int denominator, int margin, JDIMENSION limit);
  void find_needed_pixels(const CropBox& crop);
  void choose_format();
  void check_sampling() const;
  bool is_smooth(const jpeg_component_info& component) const;
  AxisSampling sampling(int samp_factor, int max_factor, const jpeg_component_info& component,
                        JDIMENSION samples) const;
  int rows_in_group(const Plane& plane) const { return row_group * image.denominator / plane.vertical.factor; }
  void crop_columns();
  void find_sampling();
  void layout_planes();
  bool read_baseline(const CropBox& crop);
  void read_by_library(const CropBox& crop);
  void point_at_group(int group, std::array<JSAMPARRAY, 3>& components);
  void read_planes();
  void layout_cmyk(std::size_t plane_bytes, int stride);
  void read_cmyk();

  JpegLibrary library;
  BaselineFile baseline;
  std::span<const std::uint8_t> file;
  bool is_baseline = true;  // BaselineFile decodes it, else libjpeg
  bool raw = true;          // components as they are in the file; else CMYK pixels
  Range rows, columns;      // pixels that are needed, at the decoder's scale
  int row_group = 0;        // pixel rows that the decoder delivers at a time
  int first_group = 0;      // row groups that are kept
  int last_group = 0;
  int left = 0;  // the pixel column at which the decoder's output starts
  std::vector<std::uint8_t> samples;
  std::array<std::size_t, 3> plane_at{};  // in `samples`
  std::vector<JSAMPROW> row_pointers;
  DecodedImage image;
};

void JpegDecoder::Impl::choose_format() {
  const J_COLOR_SPACE stored = info().jpeg_color_space;
  raw = stored != JCS_CMYK && stored != JCS_YCCK;
  image.planes = stored == JCS_GRAYSCALE ? 1 : 3;
  image.color = stored == JCS_GRAYSCALE ? ColorModel::gray : stored == JCS_YCbCr ? ColorModel::ycc : ColorModel::rgb;
  if (raw && stored != JCS_GRAYSCALE && stored != JCS_YCbCr && stored != JCS_RGB) {
    throw BrokenSample(fmt::format("has {} colour components of an unknown kind", info().num_components));
  }
}

void JpegDecoder::Impl::prepare(const CropBox& crop, int target, bool may_be_baseline) {
  choose_format();
  is_baseline = raw && may_be_baseline && BaselineFile::is_baseline(info());
  image.denominator = raw && !is_baseline ? denominator_for(crop, target) : 1;
  info().scale_num = 1;
  info().scale_denom = static_cast<unsigned>(image.denominator);
  info().dct_method = JDCT_ISLOW;
  info().raw_data_out = raw ? TRUE : FALSE;
  if (!raw) info().out_color_space = JCS_CMYK;
}

// The pixels at the decoder's scale that a crop touches, with what interpolating chroma needs around them.
JpegDecoder::Impl::Range JpegDecoder::Impl::needed_pixels(int begin, int length, int denominator, int margin,
                                                          JDIMENSION limit) {
  const int last = (begin + length + denominator - 1) / denominator;
  return {std::max(0, begin / denominator - margin), std::min(static_cast<int>(limit), last + margin)};
}

void JpegDecoder::Impl::find_needed_pixels(const CropBox& crop) {
  check_sampling();
  columns = needed_pixels(crop.x, crop.width, image.denominator, info().max_h_samp_factor, info().output_width);
  rows = needed_pixels(crop.y, crop.height, image.denominator, info().max_v_samp_factor, info().output_height);
}

void JpegDecoder::Impl::check_sampling() const {
  for (int i = 0; i < info().num_components; ++i) {
    const jpeg_component_info& component = info().comp_info[i];
    const int block = JpegLibrary::block_side(component);
    const int smallest = library.smallest_block_side();
    if (info().max_h_samp_factor * smallest % (component.h_samp_factor * block) != 0 ||
        info().max_v_samp_factor * smallest % (component.v_samp_factor * block) != 0) {
      throw BrokenSample("has colour components whose resolutions are not multiples of each other");
    }
  }
}

// The cases in which libjpeg, and with it everybody else, interpolates when it decodes at full scale.
bool JpegDecoder::Impl::is_smooth(const jpeg_component_info& component) const {
  const int h = info().max_h_samp_factor / component.h_samp_factor;
  const int v = info().max_v_samp_factor / component.v_samp_factor;
  if (h == 1) return v == 2;
  return h == 2 && v <= 2 && component.downsampled_width > 2;
}

// In pixels of the file: to the resizer a smaller scale is one more kind of subsampling.
AxisSampling JpegDecoder::Impl::sampling(int samp_factor, int max_factor, const jpeg_component_info& component,
                                         JDIMENSION count) const {
  const int factor = max_factor * DCTSIZE / (samp_factor * JpegLibrary::block_side(component));
  return {factor, factor == 2 && max_factor == 2 * samp_factor && is_smooth(component), static_cast<int>(count)};
}

// Spares the transform of blocks left and right of the crop. The library offers that only for its pixel output,
// though it works for raw output as well: nothing but the state is checked.
void JpegDecoder::Impl::crop_columns() {
  // A very narrow output would make the library set up its interpolation anew, which raw output has not got.
  const auto narrowest = static_cast<JDIMENSION>(4 * info().max_h_samp_factor);
  left = 0;
  if (info().output_width < narrowest) return;
  JDIMENSION width = std::max(static_cast<JDIMENSION>(columns.end - columns.begin), narrowest);
  JDIMENSION offset = std::min(static_cast<JDIMENSION>(columns.begin), info().output_width - width);
  const int state = info().global_state;
  info().global_state = kScanningState;
  library.call([&] { jpeg_crop_scanline(&info(), &offset, &width); });
  info().global_state = state;
  left = static_cast<int>(offset);
}

void JpegDecoder::Impl::find_sampling() {
  row_group = info().max_v_samp_factor * library.smallest_block_side();
  first_group = rows.begin / row_group;
  last_group = (rows.end + row_group - 1) / row_group;
  for (int i = 0; i < image.planes; ++i) {
    const jpeg_component_info& c = info().comp_info[i];
    Plane& plane = image.plane[static_cast<std::size_t>(i)];
    plane.horizontal = sampling(c.h_samp_factor, info().max_h_samp_factor, c, c.downsampled_width);
    plane.vertical = sampling(c.v_samp_factor, info().max_v_samp_factor, c, c.downsampled_height);
  }
}

// Where each component's rows go: one behind the other in `samples`.
void JpegDecoder::Impl::layout_planes() {
  std::size_t total = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(image.planes); ++i) {
    Plane& plane = image.plane[i];
    const int factor = plane.horizontal.factor / image.denominator;
    const int group_rows = rows_in_group(plane);
    plane.x0 = left / factor;
    plane.y0 = first_group * group_rows;
    plane.width = std::min(plane.horizontal.samples, (columns.end + factor - 1) / factor) - plane.x0;
    plane.height = std::min(plane.vertical.samples, last_group * group_rows) - plane.y0;
    plane.stride = plane.width + kMaxOverrun + kPlanePadding;
    plane_at[i] = total;
    total += static_cast<std::size_t>(plane.stride) * static_cast<std::size_t>((last_group - first_group) * group_rows);
  }
  grow_kept(samples, total);
  for (std::size_t i = 0; i < 3; ++i) image.plane[i].data = samples.data() + plane_at[i];
}

// The way of most files. False: it takes libjpeg, from the header on.
bool JpegDecoder::Impl::read_baseline(const CropBox& crop) {
  library.call([this] { jpeg_calc_output_dimensions(&info()); });
  find_needed_pixels(crop);
  find_sampling();
  const int mcu_width = DCTSIZE * info().max_h_samp_factor;
  const int last_column = (columns.end + mcu_width - 1) / mcu_width;
  left = columns.begin / mcu_width * mcu_width;
  layout_planes();
  std::array<std::uint8_t*, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = samples.data() + plane_at[i];
  const int mcus_across = (static_cast<int>(info().image_width) + mcu_width - 1) / mcu_width;
  const ScanArea area{mcus_across, first_group, last_group, left / mcu_width, last_column};
  return baseline.decode(info(), area, out, image.plane);
}

void JpegDecoder::Impl::read_by_library(const CropBox& crop) {
  library.call([this] { jpeg_start_decompress(&info()); });
  find_needed_pixels(crop);
  if (!raw) return read_cmyk();
  find_sampling();
  crop_columns();  // changes the components' widths
  layout_planes();
  read_planes();
}

// Rows above the crop are decoded, as what follows depends on them, but not transformed.
void JpegDecoder::Impl::point_at_group(int group, std::array<JSAMPARRAY, 3>& components) {
  const bool kept = group >= first_group;
  for (std::size_t i = 0; i < static_cast<std::size_t>(image.planes); ++i) {
    const Plane& plane = image.plane[i];
    const int group_rows = rows_in_group(plane);
    info().comp_info[i].component_needed = kept ? TRUE : FALSE;
    std::uint8_t* row = samples.data() + plane_at[i] + (kept ? group - first_group : 0) * group_rows * plane.stride;
    for (int y = 0; y < group_rows; ++y, row += plane.stride) components[i][y] = row;
  }
}

// What lies below the crop is never looked at.
void JpegDecoder::Impl::read_planes() {
  std::array<JSAMPARRAY, 3> components{};
  const auto pointers = static_cast<std::size_t>(row_group);  // of a component, at most
  row_pointers.resize(3 * pointers);
  for (std::size_t i = 0; i < 3; ++i) components[i] = row_pointers.data() + i * pointers;
  library.call([&] {
    for (int group = 0; group < last_group; ++group) {
      point_at_group(group, components);
      jpeg_read_raw_data(&info(), components.data(), static_cast<JDIMENSION>(row_group));
    }
    jpeg_abort_decompress(&info());
  });
}

void JpegDecoder::Impl::layout_cmyk(std::size_t plane_bytes, int stride) {
  const AxisSampling horizontal{1, false, static_cast<int>(info().output_width)};
  const AxisSampling vertical{1, false, static_cast<int>(info().output_height)};
  grow_kept(samples, 3 * plane_bytes + 4 * static_cast<std::size_t>(info().output_width));
  for (std::size_t i = 0; i < 3; ++i) {
    plane_at[i] = i * plane_bytes;
    image.plane[i] = {samples.data() + plane_at[i], stride,     columns.begin, rows.begin, columns.end - columns.begin,
                      rows.end - rows.begin,        horizontal, vertical};
  }
}

// Rare (22 of ImageNet's 1.28 million files), so pixel by pixel. Inverted, as Adobe writes them.
void JpegDecoder::Impl::read_cmyk() {
  const int stride = columns.end - columns.begin + kPlanePadding;
  const auto plane_bytes = static_cast<std::size_t>(stride) * static_cast<std::size_t>(rows.end - rows.begin);
  layout_cmyk(plane_bytes, stride);
  JSAMPROW line = samples.data() + 3 * plane_bytes;
  library.call([&] {
    for (int y = 0; y < rows.end; ++y) {
      jpeg_read_scanlines(&info(), &line, 1);
      if (y < rows.begin) continue;
      const int row = (y - rows.begin) * stride;
      for (int x = columns.begin; x < columns.end; ++x) {
        const std::uint8_t* const pixel = line + 4 * x;
        for (std::size_t i = 0; i < 3; ++i) {
          samples[plane_at[i] + static_cast<std::size_t>(row + x - columns.begin)] = inverted_ink(pixel[i], pixel[3]);
        }
      }
    }
    jpeg_abort_decompress(&info());
  });
}

JpegDecoder::JpegDecoder() : impl_(std::make_unique<Impl>()) {}
JpegDecoder::~JpegDecoder() = default;

void JpegDecoder::Impl::read_header() {
  jpeg_abort_decompress(&info());
  library.call([this] {
    jpeg_mem_src(&info(), file.data(), file.size());
    jpeg_read_header(&info(), TRUE);
  });
}

ImageSize JpegDecoder::read_header(std::span<const std::uint8_t> file) {
  impl_->file = file;
  impl_->read_header();
  const jpeg_decompress_struct& info = impl_->info();
  const auto pixels = static_cast<std::int64_t>(info.image_width) * info.image_height;
  if (pixels > kMaxImagePixels) {
    throw BrokenSample(fmt::format("has {} x {} pixels; at most {} are decoded", info.image_width, info.image_height,
                                   kMaxImagePixels));
  }
  return {static_cast<int>(info.image_width), static_cast<int>(info.image_height)};
}

const DecodedImage& JpegDecoder::decode(const CropBox& crop, int target) {
  impl_->prepare(crop, target, true);
  if (impl_->is_baseline) {
    if (impl_->read_baseline(crop)) return impl_->image;
    impl_->read_header();
    impl_->prepare(crop, target, false);
  }
  impl_->read_by_library(crop);
  return impl_->image;
}

}  // namespace stash
