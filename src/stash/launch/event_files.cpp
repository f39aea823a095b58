#include "stash/launch/event_files.h"

#include <array>
#include <fstream>

#include "stash/launch/protocol/shared_names.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLimitBytes = 16 << 20;  // of a line

}  // namespace

void EventFiles::read(const std::function<void(const std::string&, std::string_view)>& on_line) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(kEventsSuffix)) continue;
    Tail& tail = tails_[name];
    std::ifstream file(entry.path(), std::ios::binary);
    file.seekg(static_cast<std::streamoff>(tail.offset));
    std::array<char, 65536> piece;
    while (file.read(piece.data(), piece.size()) || file.gcount() > 0) {
      std::string_view text(piece.data(), static_cast<std::size_t>(file.gcount()));
      tail.offset += text.size();
      for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        tail.partial.append(text.substr(0, end));
        on_line(name, tail.partial);
        tail.partial.clear();
        text.remove_prefix(end + 1);
      }
      if (tail.partial.size() + text.size() <= kLimitBytes) tail.partial.append(text);
    }
  }
}

int EventFiles::count_marks(std::string_view mark) const {
  int count = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    count += entry.path().filename().string().starts_with(mark);
  }
  return count;
}

}  // namespace stash
