#pragma once

#include <string>
#include <utility>

namespace stash {

// The oldest torch that the extension compiles with; scripts/python.sh reads it here, before there is a program.
inline constexpr std::pair kOldestTorch{2, 5};

inline std::string oldest_torch() {
  return std::to_string(kOldestTorch.first) + '.' + std::to_string(kOldestTorch.second);
}

}  // namespace stash
