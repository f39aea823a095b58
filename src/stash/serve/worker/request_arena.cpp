#include "stash/serve/worker/request_arena.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::size_t kLeastBlock = 4096;  // pages are not shared
// Blocks of another size are kept when they are given back; what is given out at once is bounded elsewhere. Addresses
// that nobody writes to cost nothing.
constexpr std::size_t kRoomRatio = 16;
// The pages of larger blocks go back to the system.
constexpr std::size_t kMostKeptBlock = std::size_t{4} << 20;

}  // namespace

RequestArena::RequestArena(std::size_t most_bytes)
    : fd_(memfd_create("stash requests", MFD_CLOEXEC)), bytes_(kRoomRatio * std::bit_ceil(most_bytes)) {
  if (fd_ < 0 || ftruncate(fd_, static_cast<off_t>(bytes_)) != 0) {
    throw Error(fmt::format("cannot make memory for requests: {}", std::strerror(errno)));
  }
  void* const at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
  if (at == MAP_FAILED) throw Error(fmt::format("cannot make memory for requests: {}", std::strerror(errno)));
  base_ = static_cast<char*>(at);
}

RequestArena::~RequestArena() {
  munmap(base_, bytes_);
  close(fd_);
}

BodyMemory::Block RequestArena::take(std::size_t bytes) {
  const std::size_t size = std::bit_ceil(std::max(bytes, kLeastBlock));
  std::vector<char*>& free = free_[static_cast<std::size_t>(std::countr_zero(size))];
  if (!free.empty()) {
    char* const at = free.back();
    free.pop_back();
    return {at, size};
  }
  // It is copied to the workers' memory later.
  if (size > bytes_ - used_) return own_body_memory().take(bytes);
  used_ += size;
  return {base_ + used_ - size, size};
}

void RequestArena::give_back(Block block) {
  if (block.at == nullptr) return;
  if (!holds({block.at, block.bytes})) return own_body_memory().give_back(block);
  if (block.bytes > kMostKeptBlock) madvise(block.at, block.bytes, MADV_REMOVE);
  free_[static_cast<std::size_t>(std::countr_zero(block.bytes))].push_back(block.at);
}

}  // namespace stash
