#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace stash {

// Whether `part` stands in one of the texts.
inline bool any_contains(std::span<const std::string> texts, std::string_view part) {
  return std::ranges::any_of(texts, [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

}  // namespace stash
