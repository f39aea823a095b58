#include "stash/core/cache_folder.h"

#include <fmt/format.h>

#include <cstdlib>

#include "stash/core/error.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

fs::path cache_folder() {
  if (const char* given = std::getenv("XDG_CACHE_HOME"); given != nullptr && *given != '\0')
    return fs::path(given) / "stash";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache" / "stash";
  return fs::temp_directory_path() / "stash-cache";
}

}  // namespace

fs::path ready_cache_folder() {
  const fs::path folder = cache_folder();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(fmt::format("cannot make {} for the data set ({}): bring one with --data, or set XDG_CACHE_HOME",
                            folder.string(), error.message()));
  }
  return folder;
}

}  // namespace stash
