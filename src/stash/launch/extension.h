#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace stash {

// The library `_stash` for one interpreter and its torch.
struct ExtensionInfo {
  std::filesystem::path folder;  // holds _stash.so; goes onto a rank's PYTHONPATH
  std::string python_version;    // "3.11.7"
  std::string torch_version;     // "2.13.0+cpu"
  bool built = false;            // false: it was there already
};

using ExtensionProgress = std::function<void(std::string_view)>;  // one line of what is going on

// Where built extensions are kept: STASH_CACHE_DIR, else a checkout's build/, else the user's cache.
std::filesystem::path extension_cache(const std::filesystem::path& root);

// Finds the extension, or builds it from the sources in `root` with CMake: once for each torch, again when its sources
// changed. Two at once build once. UsageError for the interpreter; Error with the first compiler errors and what to
// install for the build.
ExtensionInfo ensure_extension(const std::filesystem::path& python, const std::filesystem::path& root,
                               const ExtensionProgress& progress);

}  // namespace stash
