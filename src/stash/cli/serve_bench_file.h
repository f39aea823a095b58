#pragma once

#include <filesystem>

namespace stash {

// Whether a file is one of `stash serve bench`; false also where it cannot be read.
bool is_serve_bench(const std::filesystem::path& path);

}  // namespace stash
