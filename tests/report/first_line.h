#pragma once

#include <string>

namespace stash::testing_support {

inline std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace stash::testing_support
