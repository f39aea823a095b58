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

bool is_root(const fs::path& folder) { return fs::exists(folder / "python" / "stash" / "rank.py"); }

// Beside <environment>/bin/stash: <environment>/lib/python3.N/site-packages/stash/root.
fs::path installed_root() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(own_program().parent_path().parent_path() / "lib", error)) {
    const fs::path root = entry.path() / "site-packages" / "stash" / "root";
    if (entry.path().filename().string().starts_with("python3") && is_root(root)) return root;
  }
  return "";
}

}  // namespace

fs::path own_program() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

fs::path root_folder() {
  if (const std::string given = environment("STASH_ROOT"); !given.empty()) return given;
  for (fs::path folder = own_program().parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (is_root(folder)) return folder;
  }
  if (const fs::path installed = installed_root(); !installed.empty()) return installed;
  throw Error("cannot find Stash's own files: start it as ./stash, or set STASH_ROOT to its folder");
}

fs::path chosen_python(const std::string& named) {
  if (!named.empty()) return named;
  if (const std::string given = environment("STASH_PYTHON"); !given.empty()) return given;
  // Installed into an environment, its interpreter is the one that is meant.
  if (const fs::path beside = own_program().parent_path() / "python3"; fs::exists(beside)) return beside;
  throw UsageError(
      "no interpreter with torch: install torch beside Stash (pip install torch), start Stash as ./stash, or name one "
      "with --python FILE");
}

}  // namespace stash
