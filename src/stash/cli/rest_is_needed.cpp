#include "stash/cli/rest_is_needed.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "stash/cli/own_files.h"
#include "stash/core/error.h"

namespace stash {

void become_whole_program(char** argv) {
  const std::string entry = (root_folder() / "stash").string();
  ::setenv("STASH_PROGRAM", "whole", 1);  // read by ./stash
  std::fflush(nullptr);
  ::execv(entry.c_str(), argv);
  throw Error(fmt::format("cannot start {}: {}; build the whole program: cmake --build --preset release", entry,
                          std::strerror(errno)));
}

}  // namespace stash
