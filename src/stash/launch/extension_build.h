#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "stash/launch/extension.h"
#include "stash/launch/interpreter.h"

namespace stash {

// What `$CXX`, `c++`, `g++` or `clang++` says of its version; empty when there is no compiler.
std::string compiler_version();

// Compiles at once: as many as there are cores, and memory for each.
int compile_jobs(int cores, double available_bytes);

// The lines of a build's output that say what went wrong, at most a handful; its last lines when none does.
std::string first_errors(std::string_view output);

// Builds the target `_stash` of `root` in `folder`, carrying on or making anew what an interrupted build left.
// Error with the first errors and what to install. Children inherit `lock_fd`.
void build_extension(const Interpreter& interpreter, const std::filesystem::path& root,
                     const std::filesystem::path& folder, int lock_fd, const ExtensionProgress& progress);

}  // namespace stash
