#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace stash {

// Sixteen hexadecimal digits (FNV-1a), for names of folders and for noticing change; not against an adversary.
std::string fingerprint(std::string_view text);

// Of a file's size and time of change; empty when it is not there. Links are followed.
std::string file_identity(const std::filesystem::path& file);

// Of the names, from `root` on, and the contents of all sources and CMake files in `folders`, which may be files: the
// same for every copy of the same sources.
std::string sources_fingerprint(const std::filesystem::path& root, std::span<const std::string_view> folders);

}  // namespace stash
