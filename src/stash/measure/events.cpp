#include "stash/measure/events.h"

#include <algorithm>

#include "stash/launch/process/line_channel.h"

namespace stash {

void Events::send(const RankEvent& event) const {
  if (fd_ >= 0) send_lines(to_line(event));
}

void Events::send_lines(std::string_view lines) const {
  while (fd_ >= 0 && !lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1);
    write_line(fd_, lines.substr(0, end));
    lines.remove_prefix(end + 1);
  }
}

}  // namespace stash
