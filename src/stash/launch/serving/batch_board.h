#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>

namespace stash {

inline constexpr int kMostBatchParts = 1024;  // requests of a batch, and samples

// Where a request's tensors are: one after the other, each with `rows` samples.
struct BatchPart {
  std::uint64_t offset = 0;
  std::uint32_t rows = 0;
  std::uint32_t is_gathered = 0;  // its bytes are in the batch's own memory already
};

// Some of a GPU's parts, which lie side by side; none: all of the GPU.
struct DeviceRange {
  int first = 0, count = 0;
  auto operator<=>(const DeviceRange&) const = default;
};

// How a worker tells of the end of a batch; as CompletionWay of the server.
enum class BatchNotice : std::uint32_t { event, blocking, polling, spinning };

// The memory that a server and a worker share begins with this; the batch's inputs and outputs follow, at places that
// the worker tells. The server writes the order and an event says so; the worker writes the end and another event says
// so. One batch at a time.
struct BatchBoard {
  // The order.
  std::uint64_t number = 0;  // of the batch, from 1 on
  std::uint32_t rows = 0;
  std::uint32_t parts = 0;
  BatchNotice notice = BatchNotice::event;
  // On a GPU: whether requests were gathered into memory that is not pinned, whether kernels are launched one by one,
  // and where to work.
  std::uint32_t is_pageable = 0;
  std::uint32_t is_eager = 0;
  DeviceRange parts_of_device;
  std::array<BatchPart, kMostBatchParts> part{};
  // The end. Times are those of now_ns(), which is the same for all processes; -1: does not apply.
  std::int64_t begun_ns = 0;  // the worker took the order
  std::int64_t finished_ns = 0;
  std::int64_t copy_in_ns = -1;
  std::int64_t launch_ns = -1;
  std::int64_t copy_out_ns = -1;
  std::uint32_t is_failed = 0;
  std::array<std::uint64_t, kMostBatchParts / 64> not_a_number{};  // a bit per sample whose outputs hold a NaN
  std::array<char, 1024> message{};                                // why it failed
  std::atomic<std::uint64_t> done{0};                              // the last batch that has ended
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// Tensors begin at multiples of this.
inline constexpr std::uint64_t kTensorAlignment = 256;
constexpr std::uint64_t aligned_up(std::uint64_t bytes) {
  return (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

}  // namespace stash
