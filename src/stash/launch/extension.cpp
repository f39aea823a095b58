#include "stash/launch/extension.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/launch/build_lock.h"
#include "stash/launch/extension_build.h"
#include "stash/launch/fingerprint.h"
#include "stash/launch/interpreter.h"

namespace stash {
namespace {

constexpr double kBuildDeadline_s = 1800;  // one core and a slow disk need a third of it

// What the extension is made of.
constexpr std::array<std::string_view, 10> kSources{
    "CMakeLists.txt",    "cmake",           "src/CMakeLists.txt",  "src/stash/core",   "src/stash/models",
    "src/stash/catalog", "src/stash/input", "src/stash/attribute", "src/stash/launch", "src/stash/measure"};

// What an extension was built from: its sources and its compiler.
struct Stamp {
  std::string sources;
  std::string compiler;
  bool operator==(const Stamp&) const = default;
};

std::filesystem::path environment_path(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool can_write(const std::filesystem::path& folder) {
  const std::filesystem::path there = std::filesystem::exists(folder) ? folder : folder.parent_path();
  return ::access(there.c_str(), W_OK) == 0;
}

// One folder for each torch, interpreter ABI and checkout; a checkout that was moved gets another.
std::filesystem::path extension_folder(const std::filesystem::path& cache, const Interpreter& interpreter,
                                       const std::filesystem::path& root) {
  const std::string key = fingerprint(fmt::format("{}|{}|{}|{}", interpreter.abi, interpreter.torch_version,
                                                  interpreter.torch_folder.string(), root.string()));
  return cache / fmt::format("torch-{}-{}", interpreter.torch_version, key.substr(0, 8));
}

std::filesystem::path library(const std::filesystem::path& folder) { return folder / "python" / "_stash.so"; }

Stamp read_stamp(const std::filesystem::path& folder) {
  Stamp stamp;
  std::ifstream file(folder / "stamp");
  std::getline(file, stamp.sources);
  std::getline(file, stamp.compiler);
  return stamp;
}

// A machine whose compiler was taken away can go on with what it has.
bool is_fresh(const std::filesystem::path& folder, const Stamp& wanted) {
  const Stamp found = read_stamp(folder);
  return std::filesystem::exists(library(folder)) && found.sources == wanted.sources &&
         (found.compiler == wanted.compiler || wanted.compiler.empty());
}

void tell(const ExtensionProgress& progress, const std::string& line) {
  if (progress) progress(line);
}

void build(const Interpreter& interpreter, const std::filesystem::path& root, const std::filesystem::path& folder,
           const Stamp& wanted, int lock_fd, const ExtensionProgress& progress) {
  const std::int64_t start_ns = now_ns();
  tell(progress,
       fmt::format("building the torch extension for torch {} and Python {} in {} (some minutes; only this once)",
                   interpreter.torch_version, interpreter.version, folder.string()));
  const std::string compiler = read_stamp(folder).compiler;
  if (!compiler.empty() && compiler != wanted.compiler) std::filesystem::remove_all(folder);
  std::filesystem::remove(folder / "stamp");
  build_extension(interpreter, root, folder, lock_fd, progress);
  if (!std::filesystem::exists(library(folder))) {
    throw Error(fmt::format("the build of the torch extension left no {}; remove {} and try again",
                            library(folder).string(), folder.string()));
  }
  write_file_atomically(folder / "stamp", wanted.sources + "\n" + wanted.compiler + "\n");
  tell(progress, fmt::format("built the torch extension in {:.0f} s", seconds(now_ns() - start_ns)));
}

}  // namespace

std::filesystem::path extension_cache(const std::filesystem::path& root) {
  if (const auto chosen = environment_path("STASH_CACHE_DIR"); !chosen.empty())
    return std::filesystem::absolute(chosen);
  const bool installed = std::filesystem::exists(root.parent_path() / "__init__.py");  // inside the Python package
  if (!installed && can_write(root / "build")) return root / "build";
  if (const auto cache = environment_path("XDG_CACHE_HOME"); !cache.empty()) return cache / "stash";
  if (const auto home = environment_path("HOME"); !home.empty()) return home / ".cache" / "stash";
  throw Error(fmt::format("{} cannot be written and there is no home folder; set STASH_CACHE_DIR to a folder that can",
                          (root / "build").string()));
}

ExtensionInfo ensure_extension(const std::filesystem::path& python, const std::filesystem::path& root,
                               const ExtensionProgress& progress) {
  const std::filesystem::path cache = extension_cache(root);
  const Interpreter interpreter = find_interpreter(python, cache / "interpreters");
  const std::filesystem::path folder = extension_folder(cache, interpreter, root);
  const Stamp wanted{sources_fingerprint(root, kSources), compiler_version()};
  ExtensionInfo info{folder / "python", interpreter.version, interpreter.torch_version};
  if (is_fresh(folder, wanted)) return info;

  const BuildLock lock(folder.string() + ".lock", kBuildDeadline_s, [&] {
    tell(progress,
         fmt::format("another process is building the torch extension in {}; waiting for it", folder.string()));
  });
  if (is_fresh(folder, wanted)) return info;  // it was just built
  build(interpreter, root, folder, wanted, lock.fd(), progress);
  info.built = true;
  return info;
}

}  // namespace stash
