#pragma once

#include <cstddef>

namespace stash {

// Where bodies of requests are received. Used by one thread.
class BodyMemory {
 public:
  struct Block {
    char* at = nullptr;
    std::size_t bytes = 0;
  };
  virtual ~BodyMemory() = default;
  virtual Block take(std::size_t bytes) = 0;  // at least so many; Error where there are none
  virtual void give_back(Block block) = 0;
};

// Memory of this process only.
BodyMemory& own_body_memory();

}  // namespace stash
