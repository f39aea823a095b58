#include "stash/serve/protocol/body_memory.h"

#include <memory>

namespace stash {
namespace {

class OwnMemory : public BodyMemory {
 public:
  Block take(std::size_t bytes) override { return {std::allocator<char>().allocate(bytes), bytes}; }
  void give_back(Block block) override {
    if (block.at != nullptr) std::allocator<char>().deallocate(block.at, block.bytes);
  }
};

}  // namespace

BodyMemory& own_body_memory() {
  static OwnMemory memory;
  return memory;
}

}  // namespace stash
