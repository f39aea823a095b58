#pragma once

#include <array>
#include <vector>

#include "stash/launch/serving/batch_board.h"
#include "stash/measure/serving/batch_memory.h"
#include "stash/measure/serving/cuda_runtime.h"
#include "stash/measure/serving/range_work.h"

namespace stash {

// Copies of a batch between the host's memory, which is pinned here, and a GPU.
class CudaCopies {
 public:
  explicit CudaCopies(const CudaRuntime& cuda) : cuda_(cuda) {}
  ~CudaCopies();
  CudaCopies(const CudaCopies&) = delete;
  CudaCopies& operator=(const CudaCopies&) = delete;

  void attach(const BatchMemory& memory);
  // All inputs of a size of batch from the places where batches are gathered.
  void copy_gathered(const SizedBatch& sized, std::size_t rows, bool is_pageable);
  // Each request of the board from where it was received; those that were gathered in one piece.
  void copy_requests(const SizedBatch& sized, const BatchBoard& board);
  void copy_out(const SizedBatch& sized, std::size_t rows);
  // Sets a bit on the board for every sample of the last batch whose outputs hold a NaN.
  void mark_not_a_number(const SizedBatch& sized, BatchBoard& board) const;

 private:
  void pin(void* at, std::size_t bytes);
  void add(void* to, const void* from, std::size_t bytes);
  void send(void* stream);

  const CudaRuntime& cuda_;
  const BatchMemory* memory_ = nullptr;
  std::vector<void*> pinned_;
  at::Tensor host_flags_;
  // Copies to the device that are sent together.
  std::vector<void*> to_;
  std::vector<const void*> from_;
  std::vector<std::size_t> bytes_;
};

}  // namespace stash
