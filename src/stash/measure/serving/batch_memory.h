#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stash/launch/serving/batch_board.h"
#include "stash/launch/serving/worker_messages.h"
#include "stash/measure/serving/batch_model.h"

namespace stash {

// What a server shares with this worker: the requests as they were received, and the board with the batch's inputs and
// outputs.
class BatchMemory {
 public:
  // Gives the board's file its size, and every tensor its place. Error where memory cannot be had.
  // With `has_pageable`, every input has a second place.
  BatchMemory(int board_fd, int arena_fd, std::size_t arena_bytes, std::vector<ModelTensor> inputs,
              std::vector<ModelTensor> outputs, int most_batch, bool has_pageable);
  ~BatchMemory();
  BatchMemory(const BatchMemory&) = delete;
  BatchMemory& operator=(const BatchMemory&) = delete;

  BatchBoard& board() const { return *board_; }
  const char* arena() const { return arena_; }
  std::size_t arena_bytes() const { return arena_bytes_; }
  std::size_t board_bytes() const { return board_bytes_; }
  char* bytes() const { return reinterpret_cast<char*>(board_); }
  int most_batch() const { return most_batch_; }

  const std::vector<ModelTensor>& inputs() const { return inputs_; }
  const std::vector<ModelTensor>& outputs() const { return outputs_; }
  at::Tensor input(std::size_t place, int rows) const { return view(inputs_[place], input_at_[place], rows); }
  at::Tensor output(std::size_t place, int rows) const { return view(outputs_[place], output_at_[place], rows); }
  std::int64_t input_at(std::size_t place) const { return input_at_[place]; }
  std::int64_t output_at(std::size_t place) const { return output_at_[place]; }
  // From an input's place to its second one, which is behind all others; 0: there is none.
  std::int64_t pageable_shift() const { return pageable_shift_; }
  std::size_t bytes_to_pin() const { return bytes_to_pin_; }

  // Calls copy(input, first byte, from, count) for every piece of a request that is not in its place yet.
  template <class Copy>
  void each_piece(const Copy& copy) const {
    std::size_t row = 0;
    for (std::uint32_t i = 0; i < board_->parts; ++i) {
      const BatchPart& part = board_->part[i];
      const char* from = arena_ + part.offset;
      for (std::size_t input = 0; input < inputs_.size() && part.is_gathered == 0; ++input) {
        const std::size_t count = part.rows * row_bytes_[input];
        copy(input, row * row_bytes_[input], from, count);
        from += count;
      }
      row += part.rows;
    }
  }

 private:
  at::Tensor view(const ModelTensor& tensor, std::int64_t at, int rows) const;

  std::vector<ModelTensor> inputs_, outputs_;
  std::vector<std::int64_t> input_at_, output_at_;
  std::vector<std::size_t> row_bytes_;  // of the inputs
  int most_batch_;
  std::size_t board_bytes_ = 0, bytes_to_pin_ = 0;
  std::int64_t pageable_shift_ = 0;
  std::size_t arena_bytes_ = 0;
  BatchBoard* board_ = nullptr;
  const char* arena_ = nullptr;
};

// The bytes of a sample.
std::size_t row_bytes(const ModelTensor& tensor);

}  // namespace stash
