#include "stash/measure/serving/batch_memory.h"

#include <ATen/Functions.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {
namespace {

constexpr std::uint64_t kPageBytes = 4096;  // what is pinned is pinned in whole pages

void* mapped(int fd, std::size_t bytes, int protection) {
  void* const at = mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (at == MAP_FAILED) {
    throw Error(fmt::format("cannot share {} of memory with the server: {}", format_bytes(static_cast<double>(bytes)),
                            std::strerror(errno)));
  }
  return at;
}

}  // namespace

std::size_t row_bytes(const ModelTensor& tensor) {
  std::size_t count = c10::elementSize(tensor.type);
  for (const std::int64_t one : tensor.shape) count *= static_cast<std::size_t>(one);
  return count;
}

BatchMemory::BatchMemory(int board_fd, int arena_fd, std::size_t arena_bytes, std::vector<ModelTensor> inputs,
                         std::vector<ModelTensor> outputs, int most_batch, bool has_pageable)
    : inputs_(std::move(inputs)), outputs_(std::move(outputs)), most_batch_(most_batch), arena_bytes_(arena_bytes) {
  std::uint64_t at = aligned_up(sizeof(BatchBoard));
  const auto place = [&](const ModelTensor& tensor) {
    const auto found = static_cast<std::int64_t>(at);
    at += aligned_up(row_bytes(tensor) * static_cast<std::size_t>(most_batch));
    return found;
  };
  for (const ModelTensor& one : inputs_) {
    input_at_.push_back(place(one));
    row_bytes_.push_back(row_bytes(one));
  }
  for (const ModelTensor& one : outputs_) output_at_.push_back(place(one));
  bytes_to_pin_ = at;
  if (has_pageable && !inputs_.empty()) {
    at = (at + kPageBytes - 1) / kPageBytes * kPageBytes;
    pageable_shift_ = static_cast<std::int64_t>(at) - input_at_.front();
    for (const ModelTensor& one : inputs_) place(one);
  }
  board_bytes_ = at;
  if (ftruncate(board_fd, static_cast<off_t>(at)) != 0) {
    throw Error(fmt::format("cannot share {} of memory with the server: {}", format_bytes(static_cast<double>(at)),
                            std::strerror(errno)));
  }
  board_ = new (mapped(board_fd, board_bytes_, PROT_READ | PROT_WRITE)) BatchBoard;
  arena_ = static_cast<const char*>(mapped(arena_fd, arena_bytes_, PROT_READ | PROT_WRITE));
}

BatchMemory::~BatchMemory() {
  munmap(board_, board_bytes_);
  munmap(const_cast<char*>(arena_), arena_bytes_);
}

at::Tensor BatchMemory::view(const ModelTensor& tensor, std::int64_t at, int rows) const {
  std::vector<std::int64_t> shape{rows};
  shape.insert(shape.end(), tensor.shape.begin(), tensor.shape.end());
  return at::from_blob(bytes() + at, shape, at::TensorOptions().dtype(tensor.type));
}

}  // namespace stash
