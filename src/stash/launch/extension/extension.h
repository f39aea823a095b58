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

// One line on what is going on; the next line may replace one that is `passing`.
using ExtensionProgress = std::function<void(std::string_view line, bool passing)>;

// The user's folder for built extensions: STASH_CACHE_DIR, else $XDG_CACHE_HOME/stash, else ~/.cache/stash.
std::filesystem::path extension_cache();

// Finds the extension, in an installed copy or in the cache, or builds it from the sources in `root` with CMake. One
// serves every environment with the same torch and every copy of the same sources. Two callers at once build once.
// UsageError for the interpreter; Error with the first compiler errors and what to install for the build.
ExtensionInfo ensure_extension(const std::filesystem::path& python, const std::filesystem::path& root,
                               const ExtensionProgress& progress);

// Puts a library that was built together with an installed copy into `store`, as the one for the interpreter.
void adopt_extension(const std::filesystem::path& library, const std::filesystem::path& python,
                     const std::filesystem::path& root, const std::filesystem::path& store);

}  // namespace stash
