#pragma once

#include <string_view>

namespace stash {

// style.css and page.js, which are part of the program.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace stash
