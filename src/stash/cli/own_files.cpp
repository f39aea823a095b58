#include "stash/cli/own_files.h"

#include <cstdlib>

#include "stash/core/error.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

fs::path own_program() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

fs::path root_folder() {
  if (const std::string given = environment("STASH_ROOT"); !given.empty()) return given;
  for (fs::path folder = own_program().parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::exists(folder / "python" / "stash" / "rank.py")) return folder;
  }
  throw Error("cannot find Stash's own files: start it as ./stash, or set STASH_ROOT to its folder");
}

fs::path chosen_python(const std::string& named) {
  if (!named.empty()) return named;
  if (const std::string given = environment("STASH_PYTHON"); !given.empty()) return given;
  throw UsageError("no interpreter with torch: start Stash as ./stash, or name one with --python FILE");
}

}  // namespace stash
