#include "stash/launch/extension/extension_key.h"

#include <array>
#include <string_view>

#include "stash/launch/extension/extension_build.h"
#include "stash/launch/extension/fingerprint.h"

namespace stash {
namespace {

// What the extension is made of.
constexpr std::array<std::string_view, 13> kSources{"CMakeLists.txt",      "catalog",           "cmake",
                                                    "src/CMakeLists.txt",  "src/precompiled.h", "src/stash/core",
                                                    "src/stash/models",    "src/stash/catalog", "src/stash/input",
                                                    "src/stash/attribute", "src/stash/ruler",   "src/stash/launch",
                                                    "src/stash/measure"};

}  // namespace

ExtensionKey extension_key(const Interpreter& interpreter, const std::filesystem::path& root) {
  return {.torch = interpreter.torch_version,
          .build = interpreter.torch_build,
          .abi = interpreter.abi + (interpreter.new_string_abi ? " cxx11" : " old C++ ABI"),
          .compiler = compiler_version(),
          .sources = sources_fingerprint(root, kSources)};
}

}  // namespace stash
