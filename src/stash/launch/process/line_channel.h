#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace stash {

// Splits what arrives on a non-blocking file descriptor into lines. A line longer than `limit_bytes` is cut.
class LineReader {
 public:
  explicit LineReader(int fd, std::size_t limit_bytes) : fd_(fd), limit_bytes_(limit_bytes) {}

  int fd() const { return fd_; }
  // Reads what is there and calls `on_line` for each whole line; false at the end of the stream.
  bool read_lines(const std::function<void(std::string_view)>& on_line);
  void close();

 private:
  void take(std::string_view piece, const std::function<void(std::string_view)>& on_line);

  int fd_;
  std::size_t limit_bytes_;
  std::string partial_;
};

// Writes a line whole; returns false when nobody reads any more.
bool write_line(int fd, std::string_view line);

}  // namespace stash
