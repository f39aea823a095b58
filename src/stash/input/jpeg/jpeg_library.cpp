#include "stash/input/jpeg/jpeg_library.h"

#include <jerror.h>

#include "stash/input/jpeg/jpeg_decoder.h"

namespace stash {

JpegLibrary::JpegLibrary() {
  info.err = jpeg_std_error(&errors_.base);
  errors_.base.error_exit = leave_with_message;
  errors_.base.emit_message = accept_unless_truncated;
  progress_.progress_monitor = limit_scans;
  call([this] { jpeg_create_decompress(&info); });
  info.progress = &progress_;
}

void JpegLibrary::leave(j_common_ptr info) { std::longjmp(reinterpret_cast<ErrorManager*>(info->err)->on_error, 1); }

void JpegLibrary::leave_with_message(j_common_ptr info) {
  (*info->err->format_message)(info, reinterpret_cast<ErrorManager*>(info->err)->message);
  leave(info);
}

// Warnings are accepted, as Pillow does, but not a file that ends too early.
void JpegLibrary::accept_unless_truncated(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) leave_with_message(info);
}

void JpegLibrary::limit_scans(j_common_ptr info) {
  const auto* const file = reinterpret_cast<j_decompress_ptr>(info);
  const std::int64_t scans = file->input_scan_number;
  const std::int64_t pixels = static_cast<std::int64_t>(file->image_width) * file->image_height;
  if (scans <= kMaxScans && scans * pixels <= kMaxScannedPixels) return;
  auto* const errors = reinterpret_cast<ErrorManager*>(info->err);
  std::snprintf(errors->message, sizeof(errors->message), "its scans do not end after the %dth",
                static_cast<int>(scans) - 1);
  leave(info);
}

int JpegLibrary::block_side(const jpeg_component_info& component) {
#if JPEG_LIB_VERSION >= 70
  return component.DCT_h_scaled_size;
#else
  return component.DCT_scaled_size;
#endif
}

int JpegLibrary::smallest_block_side() const {
#if JPEG_LIB_VERSION >= 70
  return info.min_DCT_h_scaled_size;
#else
  return info.min_DCT_scaled_size;
#endif
}

}  // namespace stash
