#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stash {

// All as 2026-08-22, in UTC.
std::string today();
std::string date_of_file(const std::filesystem::path& path);             // when it was last changed
std::string parse_date(std::string_view text, std::string_view option);  // UsageError shows a valid one

}  // namespace stash
