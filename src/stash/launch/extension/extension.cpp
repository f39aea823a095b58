#include "stash/launch/extension/extension.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <set>

#include "stash/core/cache_folder.h"
#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/extension/extension_build.h"
#include "stash/launch/extension/extension_key.h"
#include "stash/launch/extension/extension_store.h"
#include "stash/launch/extension/interpreter.h"
#include "stash/launch/process/build_lock.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr double kBuildDeadline_s = 1800;  // one core and a slow disk need a third of it

std::optional<fs::path> cache_if_any() {
  const char* chosen = std::getenv("STASH_CACHE_DIR");
  return chosen && *chosen ? fs::absolute(chosen) : user_cache_folder();
}

// Without a cache, interpreters are asked anew each time.
Interpreter known_interpreter(const fs::path& python) {
  const auto cache = cache_if_any();
  return find_interpreter(python, cache ? *cache / "interpreters" : fs::path());
}

fs::path bundled_extensions(const fs::path& root) { return root / "extensions"; }

ExtensionInfo info_of(const Interpreter& interpreter, const fs::path& folder, bool built) {
  return {folder, interpreter.version, interpreter.torch_version, built};
}

// An installed copy brings the extension for the torch that it was made with; the rest is in the cache.
std::optional<fs::path> find(const fs::path& root, const ExtensionKey& key) {
  if (auto bundled = find_extension(bundled_extensions(root), key, true)) return bundled;
  return find_extension(extension_cache() / "extensions", key);
}

// Where there is no compiler: the torch for which an installed copy needs none.
std::string ready_for(const fs::path& root) {
  std::set<std::string> names;
  for (const ExtensionKey& key : kept_extensions(bundled_extensions(root))) {
    names.insert(fmt::format("torch {} ({})", key.torch, key.abi.substr(0, key.abi.find('-', key.abi.find('-') + 1))));
  }
  if (names.empty()) return "";
  return fmt::format("; this copy of Stash needs no compiler with {}", fmt::join(names, " or "));
}

fs::path ready_store(const fs::path& cache) {
  const fs::path store = cache / "extensions";
  std::error_code error;
  fs::create_directories(store, error);
  if (!error && ::access(store.c_str(), W_OK) != 0) error.assign(errno, std::generic_category());
  if (error) {
    throw Error(
        fmt::format("cannot make {} for the torch extension ({}): set STASH_CACHE_DIR to a folder that can be "
                    "written",
                    store.string(), error.message()));
  }
  return store;
}

fs::path build(const Interpreter& interpreter, const ExtensionKey& key, const BuildPlace& place, const fs::path& store,
               int lock_fd, const ExtensionProgress& progress) {
  const std::int64_t start_ns = now_ns();
  const fs::path library = build_extension(interpreter, place, lock_fd, progress);
  fs::path folder = keep_extension(store, key, library);
  if (!place.keep) fs::remove_all(place.folder);
  if (progress) {
    progress(fmt::format("built the torch extension for torch {} and Python {} in {:.0f} s", interpreter.torch_version,
                         minor_version(interpreter), seconds(now_ns() - start_ns)),
             false);
  }
  return folder;
}

}  // namespace

fs::path extension_cache() {
  if (const auto cache = cache_if_any()) return *cache;
  throw Error(
      "there is no home folder to keep the torch extension in; set STASH_CACHE_DIR to a folder that can be "
      "written");
}

ExtensionInfo ensure_extension(const fs::path& python, const fs::path& root, const ExtensionProgress& progress) {
  const Interpreter interpreter = known_interpreter(python);
  const ExtensionKey key = extension_key(interpreter, root);
  if (const auto found = find(root, key)) return info_of(interpreter, *found, false);
  if (key.compiler.empty()) {
    throw Error(
        fmt::format("torch {} with Python {} needs an extension built for it, and there is no C++20 compiler: "
                    "apt-get install g++ cmake ninja-build{}",
                    interpreter.torch_version, minor_version(interpreter), ready_for(root)));
  }

  const fs::path cache = extension_cache(), store = ready_store(cache);
  const BuildLock lock((store / (torch_name(key) + ".lock")).string(), kBuildDeadline_s, [&] {
    if (progress) progress("another process is building the torch extension; waiting for it", false);
  });
  if (const auto found = find(root, key)) return info_of(interpreter, *found, false);  // it was just built
  const BuildPlace place = build_place(root, cache, torch_name(key));
  return info_of(interpreter, build(interpreter, key, place, store, lock.fd(), progress), true);
}

void adopt_extension(const fs::path& library, const fs::path& python, const fs::path& root, const fs::path& store) {
  const Interpreter interpreter = known_interpreter(python);
  keep_extension(store, extension_key(interpreter, root), library);
}

}  // namespace stash
