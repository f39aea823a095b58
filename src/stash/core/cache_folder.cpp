#include "stash/core/cache_folder.h"

#include <fmt/format.h>

#include <cstdlib>

#include "stash/core/error.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

// The standard for these variables asks to ignore a relative path.
fs::path absolute_path_in(const char* variable) {
  const char* value = std::getenv(variable);
  const fs::path path = value ? value : "";
  return path.is_absolute() ? path : fs::path();
}

}  // namespace

std::optional<fs::path> user_cache_folder() {
  if (const fs::path given = absolute_path_in("XDG_CACHE_HOME"); !given.empty()) return given / "stash";
  if (const fs::path home = absolute_path_in("HOME"); !home.empty()) return home / ".cache" / "stash";
  return std::nullopt;
}

fs::path ready_cache_folder() {
  const fs::path folder = user_cache_folder().value_or(fs::temp_directory_path() / "stash-cache");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(fmt::format("cannot make {} for the data set ({}): bring one with --data, or set XDG_CACHE_HOME",
                            folder.string(), error.message()));
  }
  return folder;
}

}  // namespace stash
