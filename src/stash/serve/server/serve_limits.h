#pragma once

#include <cstddef>

namespace stash {

// What clients may hold.
struct ServeLimits {
  int connections = 1024;
  std::size_t request_bytes = std::size_t{64} << 20;
  std::size_t memory_bytes = std::size_t{1} << 30;  // of all requests together
  double request_s = 30;                            // for a request to come, and for an answer to be taken
};

}  // namespace stash
