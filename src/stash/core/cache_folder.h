#pragma once

#include <filesystem>

namespace stash {

// The user's folder for what can be made again: $XDG_CACHE_HOME/stash, else ~/.cache/stash, else a temporary one. It is
// there afterwards; Error says how to name another.
std::filesystem::path ready_cache_folder();

}  // namespace stash
