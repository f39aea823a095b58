#pragma once

#include <cstdint>

namespace stash {

// Finds the end of a value that does not fit in memory, byte by byte. JSON has no line breaks in strings: where one
// stands, a quote is missing, and without this the rest of the file would be one string.
class LargeValue {
 public:
  enum class Next { more, ends_before, ends_behind, damaged };

  Next take(char c) {
    if (escaped_) return escaped_ = false, Next::more;
    if (in_string_ && c == '\n') return Next::damaged;
    if (in_string_) {
      escaped_ = c == '\\';
      in_string_ = c != '"';
      return Next::more;
    }
    in_string_ = c == '"';
    if (c == '{' || c == '[') ++depth_;
    if (c == ',' && depth_ == 0) return Next::ends_before;
    if (c != '}' && c != ']') return Next::more;
    if (depth_ == 0) return Next::ends_before;
    return --depth_ == 0 ? Next::ends_behind : Next::more;
  }

 private:
  std::uint64_t depth_ = 0;
  bool in_string_ = false, escaped_ = false;
};

}  // namespace stash
