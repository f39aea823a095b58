#pragma once

#include <filesystem>
#include <optional>

namespace stash {

// The user's folder for what can be made again: $XDG_CACHE_HOME/stash, else ~/.cache/stash; nullopt without a home.
std::optional<std::filesystem::path> user_cache_folder();

// The same, or a temporary one. It is there afterwards; Error says how to name another.
std::filesystem::path ready_cache_folder();

}  // namespace stash
