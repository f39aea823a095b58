#pragma once

#include <filesystem>
#include <span>
#include <vector>

namespace stash {

// The paths, with a folder replaced by the traces in it (.json, .json.gz; not those of its folders), in the order of
// their names. Error when a folder cannot be read or holds none.
std::vector<std::filesystem::path> find_traces(std::span<const std::filesystem::path> paths);

}  // namespace stash
