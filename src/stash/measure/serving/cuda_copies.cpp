#include "stash/measure/serving/cuda_copies.h"

#include <ATen/Functions.h>

#include <algorithm>

namespace stash {
namespace {

// Of the memory in which requests are received, what is pinned; blocks are taken from its beginning first.
constexpr std::size_t kPinnedArenaBytes = std::size_t{256} << 20;

}  // namespace

CudaCopies::~CudaCopies() {
  for (void* const at : pinned_) cuda_.host_unregister(at);
}

void CudaCopies::pin(void* at, std::size_t bytes) {
  // Where it may not be (a limit of locked memory), copies are slower and as right.
  if (cuda_.host_register(at, bytes, 0) == 0) pinned_.push_back(at);
}

void CudaCopies::attach(const BatchMemory& memory) {
  memory_ = &memory;
  pin(memory.bytes(), memory.bytes_to_pin());
  pin(const_cast<char*>(memory.arena()), std::min(memory.arena_bytes(), kPinnedArenaBytes));
  host_flags_ = at::zeros({memory.most_batch()}, at::TensorOptions().dtype(at::kBool));
  pin(host_flags_.data_ptr(), host_flags_.nbytes());
  const std::size_t most = memory.inputs().size() * kMostBatchParts;
  to_.reserve(most);
  from_.reserve(most);
  bytes_.reserve(most);
}

void CudaCopies::add(void* to, const void* from, std::size_t bytes) {
  // Neighbours that were received one behind the other are one piece.
  if (!to_.empty() && static_cast<char*>(to_.back()) + bytes_.back() == to &&
      static_cast<const char*>(from_.back()) + bytes_.back() == from) {
    bytes_.back() += bytes;
    return;
  }
  to_.push_back(to);
  from_.push_back(from);
  bytes_.push_back(bytes);
}

void CudaCopies::send(void* stream) {
  constexpr const char* kFailed = "a copy to the device failed";
  if (to_.size() > 1 && cuda_.copy_batch != nullptr) {
    const CopyAttributes attributes;
    const std::size_t first = 0;
    cuda_.check(cuda_.copy_batch(to_.data(), from_.data(), bytes_.data(), to_.size(), &attributes, &first, 1, stream),
                kFailed);
  } else {
    for (std::size_t i = 0; i < to_.size(); ++i) {
      cuda_.check(cuda_.copy(to_[i], from_[i], bytes_[i], kCopyToDevice, stream), kFailed);
    }
  }
  to_.clear();
  from_.clear();
  bytes_.clear();
}

void CudaCopies::copy_gathered(const SizedBatch& sized, std::size_t rows, bool is_pageable) {
  const std::int64_t shift = is_pageable ? memory_->pageable_shift() : 0;
  for (std::size_t i = 0; i < sized.inputs.size(); ++i) {
    add(sized.inputs[i].data_ptr(), memory_->bytes() + memory_->input_at(i) + shift,
        row_bytes(memory_->inputs()[i]) * rows);
  }
  send(sized.stream);
}

void CudaCopies::copy_requests(const SizedBatch& sized, const BatchBoard& board) {
  const bool is_any_gathered = std::any_of(board.part.begin(), board.part.begin() + board.parts,
                                           [](const BatchPart& part) { return part.is_gathered != 0; });
  if (is_any_gathered) copy_gathered(sized, board.rows, board.is_pageable != 0);
  memory_->each_piece([&](std::size_t input, std::size_t first, const char* from, std::size_t count) {
    add(static_cast<char*>(sized.inputs[input].data_ptr()) + first, from, count);
  });
  send(sized.stream);
}

void CudaCopies::copy_out(const SizedBatch& sized, std::size_t rows) {
  const auto to_host = [&](void* to, const at::Tensor& from, std::size_t bytes) {
    cuda_.check(cuda_.copy(to, from.data_ptr(), bytes, kCopyToHost, sized.stream), "a copy from the device failed");
  };
  for (std::size_t i = 0; i < sized.outputs.size(); ++i) {
    to_host(memory_->bytes() + memory_->output_at(i), sized.outputs[i], row_bytes(memory_->outputs()[i]) * rows);
  }
  if (sized.not_a_number.defined()) to_host(host_flags_.data_ptr(), sized.not_a_number, rows);
}

void CudaCopies::mark_not_a_number(const SizedBatch& sized, BatchBoard& board) const {
  board.not_a_number.fill(0);
  const bool* const flags = host_flags_.const_data_ptr<bool>();
  for (std::uint32_t row = 0; sized.not_a_number.defined() && row < board.rows; ++row) {
    if (flags[row]) board.not_a_number[row / 64] |= std::uint64_t{1} << (row % 64);
  }
}

}  // namespace stash
