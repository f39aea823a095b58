#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stash {

// Text from anywhere as HTML text or attribute value: control characters, direction marks and bytes that are not UTF-8
// become '?', the five characters that HTML knows become entities; cut to `limit` characters.
std::string html_text(std::string_view text, std::size_t limit = 200);

}  // namespace stash
