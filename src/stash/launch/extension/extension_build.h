#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "stash/launch/extension/extension.h"
#include "stash/launch/extension/interpreter.h"

namespace stash {

// What `$CXX`, `c++`, `g++` or `clang++` says of its version; empty when there is no compiler.
std::string compiler_version();

// Compiles at once: as many as there are cores, and memory for each.
int compile_jobs(int cores, double available_bytes);

// The lines of a build's output that say what went wrong, at most a handful; its last lines when none does.
std::string first_errors(std::string_view output);

// Where an extension is compiled.
struct BuildPlace {
  std::filesystem::path root;    // Stash's sources
  std::filesystem::path folder;  // CMake's tree for one torch
  std::filesystem::path tree{};  // the checkout's own tree, whose libraries are used; empty: there is none
  bool keep = false;             // the folder stays for the next change of a source
};

// In a checkout that can be written, under its build/; else under the cache.
BuildPlace build_place(const std::filesystem::path& root, const std::filesystem::path& cache,
                       const std::string& torch_name);

// Builds the target `_stash`, carrying on or making anew what an interrupted build left, and returns the library.
// Error with the first errors and what to install. Children inherit `lock_fd`.
std::filesystem::path build_extension(const Interpreter& interpreter, const BuildPlace& place, int lock_fd,
                                      const ExtensionProgress& progress);

}  // namespace stash
