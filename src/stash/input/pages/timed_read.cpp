#include "stash/input/pages/timed_read.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "stash/core/clock.h"
#include "stash/core/error.h"

namespace stash {

double timed_read_s(const PageRange& range, std::span<std::uint8_t> buffer) {
  const std::int64_t start_ns = now_ns();
  for (std::int64_t done = 0; done < range.bytes;) {
    const auto wanted = std::min(buffer.size(), static_cast<std::size_t>(range.bytes - done));
    const ssize_t count = pread(range.fd, buffer.data(), wanted, range.offset_bytes + done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error("the file to time cannot be read back; is the disk full or failing?");
    done += count;
  }
  return seconds(now_ns() - start_ns);
}

}  // namespace stash
