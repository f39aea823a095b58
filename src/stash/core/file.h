#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace stash {

// The whole file or an Error; refuses files above `limit_bytes` before reading them.
std::string read_file(const std::filesystem::path& path, std::size_t limit_bytes);

// Written to a temporary file beside the target, synced, renamed: whole or not at all.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace stash
