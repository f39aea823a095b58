#pragma once

#include <string_view>

namespace stash {

// list.js, put in when the program is built.
extern const std::string_view kListScript;

}  // namespace stash
