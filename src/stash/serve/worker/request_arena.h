#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "stash/serve/protocol/body_memory.h"

namespace stash {

// Bodies in memory that is shared with workers, so that a device takes a request's bytes from where they were received.
// Blocks have the sizes of powers of two; one that was given back is taken again, from the lowest address on. Without
// room for a block, it is of this process only.
class RequestArena : public BodyMemory {
 public:
  explicit RequestArena(std::size_t most_bytes);  // Error where there is no such memory
  ~RequestArena() override;
  RequestArena(const RequestArena&) = delete;
  RequestArena& operator=(const RequestArena&) = delete;

  Block take(std::size_t bytes) override;
  void give_back(Block block) override;

  int fd() const { return fd_; }
  std::size_t bytes() const { return bytes_; }
  // The place of what lies in it; false: it does not.
  bool holds(std::string_view bytes) const {
    return bytes.data() >= base_ && bytes.data() + bytes.size() <= base_ + bytes_;
  }
  std::size_t offset_of(std::string_view bytes) const { return static_cast<std::size_t>(bytes.data() - base_); }

 private:
  static constexpr std::size_t kClasses = 48;

  int fd_ = -1;
  std::size_t bytes_ = 0;
  std::size_t used_ = 0;
  char* base_ = nullptr;
  std::array<std::vector<char*>, kClasses> free_;  // by the power of two
};

}  // namespace stash
