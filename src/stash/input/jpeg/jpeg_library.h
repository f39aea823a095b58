#pragma once

#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <string>

// jpeglib.h needs stdio.h before it.
#include <jpeglib.h>

#include "stash/input/sample_reader.h"

namespace stash {

// libjpeg's decompressor with its errors as BrokenSample and its limits set. Used again for every file.
class JpegLibrary {
 public:
  JpegLibrary();
  ~JpegLibrary() { jpeg_destroy_decompress(&info); }
  JpegLibrary(const JpegLibrary&) = delete;
  JpegLibrary& operator=(const JpegLibrary&) = delete;

  // Runs calls of the library. They end in a jump when a file is broken, so `work` must not own anything.
  template <class Work>
  void call(Work work) {
    if (setjmp(errors_.on_error) != 0) {
      jpeg_abort_decompress(&info);
      throw BrokenSample(std::string("is no JPEG file that can be decoded: ") + errors_.message);
    }
    work();
  }

  // Side of a component's blocks, and of the smallest ones, at the scale of decoding; 8 at full scale.
  static int block_side(const jpeg_component_info& component);
  int smallest_block_side() const;

  jpeg_decompress_struct info{};

 private:
  struct ErrorManager {
    jpeg_error_mgr base{};
    std::jmp_buf on_error{};
    char message[JMSG_LENGTH_MAX] = {};
  };

  [[noreturn]] static void leave(j_common_ptr info);
  [[noreturn]] static void leave_with_message(j_common_ptr info);
  static void accept_unless_truncated(j_common_ptr info, int level);
  static void limit_scans(j_common_ptr info);

  ErrorManager errors_;
  jpeg_progress_mgr progress_{};
};

}  // namespace stash
