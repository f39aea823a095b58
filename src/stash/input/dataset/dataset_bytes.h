#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "stash/input/dataset/dataset.h"

namespace stash {

// Bytes of all samples, from those of a thousand spread evenly over the data set. Files that cannot be looked at do
// not count; nullopt where none can.
std::optional<std::int64_t> estimate_bytes(const Dataset& dataset);

// Bytes of a file, or of all files under a folder; nullopt for more files than can be looked at in a second or two.
std::optional<std::int64_t> count_bytes(const std::filesystem::path& path);

}  // namespace stash
