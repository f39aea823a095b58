#include "stash/launch/process/line_channel.h"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace stash {

bool LineReader::read_lines(const std::function<void(std::string_view)>& on_line) {
  std::array<char, 65536> chunk;
  while (fd_ >= 0) {
    const ssize_t got = read(fd_, chunk.data(), chunk.size());
    if (got > 0) {
      take({chunk.data(), static_cast<std::size_t>(got)}, on_line);
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (!partial_.empty()) on_line(partial_);
    partial_.clear();
    return false;
  }
  return false;
}

void LineReader::take(std::string_view piece, const std::function<void(std::string_view)>& on_line) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    partial_.append(part.substr(0, limit_bytes_ - std::min(limit_bytes_, partial_.size())));
    if (end == std::string_view::npos) return;
    on_line(partial_);
    partial_.clear();
    piece.remove_prefix(end + 1);
  }
}

void LineReader::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

bool write_line(int fd, std::string_view line) {
  std::string whole(line);
  whole += '\n';
  std::string_view rest = whole;
  while (!rest.empty()) {
    const ssize_t sent = write(fd, rest.data(), rest.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace stash
