#pragma once

#include <string>
#include <string_view>

namespace stash {

// Text from others made safe for a terminal: control characters, direction marks and bytes that are not UTF-8
// become '?', and so does all that is not ASCII unless `unicode`; cut to `limit` characters.
std::string printable(std::string_view text, bool unicode = true, std::size_t limit = 400);

// This program's own text for a terminal without Unicode: dashes, signs and the like have ASCII stand-ins.
std::string to_ascii(std::string_view text);

}  // namespace stash
