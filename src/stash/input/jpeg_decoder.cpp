#include "stash/input/jpeg_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <string>
#include <vector>

// jpeglib.h needs stdio.h before it.
#include <jerror.h>
#include <jpeglib.h>

#include "stash/input/sample_reader.h"

namespace stash {

namespace {

// jpeglib.h has no name for the state in which jpeg_crop_scanline may be called.
constexpr int kScanningState = 205;

// Samples that the decoder may write behind the columns that were asked for: it widens a narrow output by up to
// 16 pixels and finishes its last MCU, which has up to four blocks of eight.
constexpr int kMaxOverrun = 64;

struct ErrorManager {
  jpeg_error_mgr base{};
  std::jmp_buf on_error{};
  char message[JMSG_LENGTH_MAX] = {};
};

[[noreturn]] void leave(j_common_ptr info) {
  auto* const errors = reinterpret_cast<ErrorManager*>(info->err);
  (*info->err->format_message)(info, errors->message);
  std::longjmp(errors->on_error, 1);
}

// Warnings are accepted, as Pillow does, but not a file that ends too early.
void accept_unless_truncated(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) leave(info);
}

void limit_scans(j_common_ptr info) {
  const auto* const file = reinterpret_cast<j_decompress_ptr>(info);
  const std::int64_t scans = file->input_scan_number;
  const std::int64_t pixels = static_cast<std::int64_t>(file->image_width) * file->image_height;
  if (scans <= kMaxScans && scans * pixels <= kMaxScannedPixels) return;
  info->err->msg_code = JERR_BAD_PROGRESSION;
  leave(info);
}

int scaled_block(const jpeg_component_info& component) {
#if JPEG_LIB_VERSION >= 70
  return component.DCT_h_scaled_size;
#else
  return component.DCT_scaled_size;
#endif
}

int smallest_block(const jpeg_decompress_struct& info) {
#if JPEG_LIB_VERSION >= 70
  return info.min_DCT_h_scaled_size;
#else
  return info.min_DCT_scaled_size;
#endif
}

int denominator_for(const CropBox& crop, int target) {
  int denominator = 1;
  while (denominator < 8 && std::min(crop.width, crop.height) >= 2 * denominator * target) denominator *= 2;
  return denominator;
}

// Half-open range of pixels or samples.
struct Range {
  int begin = 0;
  int end = 0;
};

// The pixels at the decoder's scale that a crop touches, with what interpolating chroma needs around them.
Range needed_pixels(int begin, int length, int denominator, int margin, int limit) {
  const int last = (begin + length + denominator - 1) / denominator;
  return {std::max(0, begin / denominator - margin), std::min(limit, last + margin)};
}

}  // namespace

struct JpegDecoder::Impl {
  Impl();
  ~Impl() { jpeg_destroy_decompress(&info); }

  // Runs `work`, which must not own anything, and turns libjpeg's jump into an exception.
  template <class Work>
  void guarded(Work work) {
    if (setjmp(errors.on_error) != 0) {
      jpeg_abort_decompress(&info);
      throw BrokenSample(std::string("is no JPEG file that can be decoded: ") + errors.message);
    }
    work();
  }

  void start(const CropBox& crop, int target);
  void choose_format();
  void check_sampling() const;
  AxisSampling sampling(int samp_factor, int max_factor, const jpeg_component_info& component,
                        JDIMENSION samples) const;
  bool is_smooth(const jpeg_component_info& component) const;
  int rows_in_group(const Plane& plane) const { return row_group * image.denominator / plane.vertical.factor; }
  void crop_columns(Range columns);
  void layout_planes();
  void read_planes();
  void read_cmyk();

  jpeg_decompress_struct info{};
  ErrorManager errors;
  jpeg_progress_mgr progress{};
  bool raw = true;      // components as they are in the file; else CMYK pixels
  Range rows, columns;  // pixels, at the decoder's scale
  int row_group = 0;    // pixel rows that the decoder delivers at a time
  int first_group = 0;  // row groups that are kept
  int last_group = 0;
  int left = 0;  // the pixel column at which the decoder's output starts
  std::vector<std::uint8_t> samples;
  std::vector<JSAMPROW> row_pointers;
  DecodedImage image;
};

JpegDecoder::Impl::Impl() {
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = leave;
  errors.base.emit_message = accept_unless_truncated;
  progress.progress_monitor = limit_scans;
  guarded([this] { jpeg_create_decompress(&info); });
  info.progress = &progress;
}

void JpegDecoder::Impl::choose_format() {
  raw = true;
  image.planes = 3;
  switch (info.jpeg_color_space) {
    case JCS_GRAYSCALE:
      image.color = ColorModel::gray;
      image.planes = 1;
      break;
    case JCS_YCbCr:
      image.color = ColorModel::ycc;
      break;
    case JCS_RGB:
      image.color = ColorModel::rgb;
      break;
    case JCS_CMYK:
    case JCS_YCCK:
      image.color = ColorModel::rgb;
      raw = false;
      break;
    default:
      throw BrokenSample(fmt::format("has {} colour components of an unknown kind", info.num_components));
  }
}

void JpegDecoder::Impl::check_sampling() const {
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    const int block = scaled_block(component);
    const int smallest = smallest_block(info);
    if (info.max_h_samp_factor * smallest % (component.h_samp_factor * block) != 0 ||
        info.max_v_samp_factor * smallest % (component.v_samp_factor * block) != 0) {
      throw BrokenSample("has colour components whose resolutions are not multiples of each other");
    }
  }
}

// The cases in which libjpeg, and with it everybody else, interpolates when it decodes at full scale.
bool JpegDecoder::Impl::is_smooth(const jpeg_component_info& component) const {
  const int h = info.max_h_samp_factor / component.h_samp_factor;
  const int v = info.max_v_samp_factor / component.v_samp_factor;
  if (h == 1) return v == 2;
  return h == 2 && v <= 2 && component.downsampled_width > 2;
}

// In pixels of the file: to the resizer a smaller scale is one more kind of subsampling.
AxisSampling JpegDecoder::Impl::sampling(int samp_factor, int max_factor, const jpeg_component_info& component,
                                         JDIMENSION count) const {
  const int factor = max_factor * DCTSIZE / (samp_factor * scaled_block(component));
  return {factor, factor == 2 && max_factor == 2 * samp_factor && is_smooth(component), static_cast<int>(count)};
}

void JpegDecoder::Impl::start(const CropBox& crop, int target) {
  choose_format();
  image.denominator = raw ? denominator_for(crop, target) : 1;
  info.scale_num = 1;
  info.scale_denom = static_cast<unsigned>(image.denominator);
  info.dct_method = JDCT_ISLOW;
  info.raw_data_out = raw ? TRUE : FALSE;
  if (!raw) info.out_color_space = JCS_CMYK;
  guarded([this] { jpeg_start_decompress(&info); });
  check_sampling();
  columns =
      needed_pixels(crop.x, crop.width, image.denominator, info.max_h_samp_factor, static_cast<int>(info.output_width));
  rows = needed_pixels(crop.y, crop.height, image.denominator, info.max_v_samp_factor,
                       static_cast<int>(info.output_height));
}

// Spares the transform of blocks left and right of the crop. The library offers that only for its pixel output,
// though it works for raw output as well: nothing but the state is checked.
void JpegDecoder::Impl::crop_columns(Range wanted) {
  auto offset = static_cast<JDIMENSION>(wanted.begin);
  auto width = static_cast<JDIMENSION>(wanted.end - wanted.begin);
  // A very narrow output would make the library set up its interpolation anew, which raw output has not got.
  const auto narrowest = static_cast<JDIMENSION>(4 * info.max_h_samp_factor);
  left = 0;
  if (info.output_width < narrowest) return;
  width = std::max(width, narrowest);
  offset = std::min(offset, info.output_width - width);
  const int state = info.global_state;
  info.global_state = kScanningState;
  guarded([&] { jpeg_crop_scanline(&info, &offset, &width); });
  info.global_state = state;
  left = static_cast<int>(offset);
}

// Where each component's rows go: one behind the other in `samples`.
void JpegDecoder::Impl::layout_planes() {
  row_group = info.max_v_samp_factor * smallest_block(info);
  first_group = rows.begin / row_group;
  last_group = (rows.end + row_group - 1) / row_group;
  std::array<std::size_t, 3> at{};
  std::size_t total = 0;
  for (int i = 0; i < image.planes; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    Plane& plane = image.plane[static_cast<std::size_t>(i)];
    plane.horizontal =
        sampling(component.h_samp_factor, info.max_h_samp_factor, component, component.downsampled_width);
    plane.vertical = sampling(component.v_samp_factor, info.max_v_samp_factor, component, component.downsampled_height);
  }
  crop_columns(columns);
  for (int i = 0; i < image.planes; ++i) {
    Plane& plane = image.plane[static_cast<std::size_t>(i)];
    const int group_rows = rows_in_group(plane);
    const int factor = plane.horizontal.factor / image.denominator;
    plane.x0 = left / factor;
    plane.y0 = first_group * group_rows;
    plane.width = std::min(plane.horizontal.samples, (columns.end + factor - 1) / factor) - plane.x0;
    plane.height = std::min(plane.vertical.samples, last_group * group_rows) - plane.y0;
    plane.stride = plane.width + kMaxOverrun + kPlanePadding;
    at[static_cast<std::size_t>(i)] = total;
    total += static_cast<std::size_t>(plane.stride) * static_cast<std::size_t>((last_group - first_group) * group_rows);
  }
  if (samples.size() < total) samples.resize(total);
  for (std::size_t i = 0; i < 3; ++i) image.plane[i].data = samples.data() + at[i];
}

void JpegDecoder::Impl::read_planes() {
  std::array<JSAMPARRAY, 3> components{};
  row_pointers.resize(static_cast<std::size_t>(3 * row_group));
  for (std::size_t i = 0; i < 3; ++i) components[i] = row_pointers.data() + i * static_cast<std::size_t>(row_group);
  guarded([&] {
    for (int group = 0; group < last_group; ++group) {
      const bool kept = group >= first_group;
      for (int i = 0; i < image.planes; ++i) {
        const Plane& plane = image.plane[static_cast<std::size_t>(i)];
        const int group_rows = rows_in_group(plane);
        info.comp_info[i].component_needed = kept ? TRUE : FALSE;
        std::uint8_t* row = samples.data() + (plane.data - samples.data()) +
                            (kept ? group - first_group : 0) * group_rows * plane.stride;
        for (int y = 0; y < group_rows; ++y, row += plane.stride) components[static_cast<std::size_t>(i)][y] = row;
      }
      jpeg_read_raw_data(&info, components.data(), static_cast<JDIMENSION>(row_group));
    }
    jpeg_abort_decompress(&info);
  });
}

// Rare (22 of ImageNet's 1.28 million files), so pixel by pixel. Inverted, as Adobe writes them.
void JpegDecoder::Impl::read_cmyk() {
  const int width = columns.end - columns.begin;
  const int height = rows.end - rows.begin;
  const int stride = width + kPlanePadding;
  const auto plane_bytes = static_cast<std::size_t>(stride) * static_cast<std::size_t>(height);
  const std::size_t line_bytes = 4 * static_cast<std::size_t>(info.output_width);
  if (samples.size() < 3 * plane_bytes + line_bytes) samples.resize(3 * plane_bytes + line_bytes);
  for (std::size_t i = 0; i < 3; ++i) {
    const AxisSampling horizontal{1, false, static_cast<int>(info.output_width)};
    const AxisSampling vertical{1, false, static_cast<int>(info.output_height)};
    image.plane[i] = {
        samples.data() + i * plane_bytes, stride, columns.begin, rows.begin, width, height, horizontal, vertical};
  }
  JSAMPROW line = samples.data() + 3 * plane_bytes;
  guarded([&] {
    for (int y = 0; y < rows.end; ++y) {
      jpeg_read_scanlines(&info, &line, 1);
      if (y < rows.begin) continue;
      for (int x = 0; x < width; ++x) {
        const std::uint8_t* const pixel = line + 4 * (columns.begin + x);
        for (std::size_t i = 0; i < 3; ++i) {
          samples[i * plane_bytes + static_cast<std::size_t>((y - rows.begin) * stride + x)] =
              static_cast<std::uint8_t>((pixel[i] * pixel[3] + 127) / 255);
        }
      }
    }
    jpeg_abort_decompress(&info);
  });
}

JpegDecoder::JpegDecoder() : impl_(std::make_unique<Impl>()) {}
JpegDecoder::~JpegDecoder() = default;

ImageSize JpegDecoder::read_header(std::span<const std::uint8_t> file) {
  jpeg_decompress_struct& info = impl_->info;
  jpeg_abort_decompress(&info);
  impl_->guarded([&] {
    jpeg_mem_src(&info, file.data(), file.size());
    jpeg_read_header(&info, TRUE);
  });
  const auto pixels = static_cast<std::int64_t>(info.image_width) * info.image_height;
  if (pixels > kMaxImagePixels) {
    throw BrokenSample(fmt::format("has {} x {} pixels; at most {} are decoded", info.image_width, info.image_height,
                                   kMaxImagePixels));
  }
  return {static_cast<int>(info.image_width), static_cast<int>(info.image_height)};
}

const DecodedImage& JpegDecoder::decode(const CropBox& crop, int target) {
  impl_->start(crop, target);
  if (impl_->raw) {
    impl_->layout_planes();
    impl_->read_planes();
  } else {
    impl_->read_cmyk();
  }
  return impl_->image;
}

}  // namespace stash
