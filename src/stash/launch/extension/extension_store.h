#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stash {

// What an extension was built for and from. Two with equal keys are interchangeable.
struct ExtensionKey {
  std::string torch;     // "2.13.0+cpu"
  std::string build;     // which build of that version: its git revision, CUDA or ROCm
  std::string abi;       // the interpreter's and the C++ library's: "cpython-311-x86_64-linux-gnu cxx11"
  std::string compiler;  // its version; empty: there is none
  std::string sources;   // fingerprint of Stash's own
  bool operator==(const ExtensionKey&) const = default;
};

// "torch-2.13.0+cpu-0123abcd": of what it is built for, whatever the compiler and the sources.
std::string torch_name(const ExtensionKey& key);

// The folder in `store` that holds a whole extension for the key. One that was damaged after it was kept is not found.
// Without a compiler (or where `any_compiler`), one that another compiler built will do.
std::optional<std::filesystem::path> find_extension(const std::filesystem::path& store, const ExtensionKey& key,
                                                    bool any_compiler = false);

// Puts a copy of `library` into `store`, whole or not at all, in the place of a damaged one, and returns its folder.
// Removes the oldest of those that were built for the same torch from other sources.
std::filesystem::path keep_extension(const std::filesystem::path& store, const ExtensionKey& key,
                                     const std::filesystem::path& library);

// The keys of all extensions in `store`, whole or not.
std::vector<ExtensionKey> kept_extensions(const std::filesystem::path& store);

}  // namespace stash
