#pragma once

#include <sys/types.h>

#include <fstream>
#include <string>

namespace stash {

// Whether the process runs; one that has ended and waits to be reaped does not.
inline bool is_alive(pid_t pid) {
  std::string stat;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), stat);
  return !stat.empty() && stat.find(") Z ") == std::string::npos;
}

}  // namespace stash
