#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace stash {

// A storage device of a given rate that serves one read after the other. Shared by the workers of a rank.
class StorageClock {
 public:
  explicit StorageClock(double bytes_per_s) : ns_per_byte_(1e9 / bytes_per_s) {}

  // When a read that was asked for at `asked_ns` would be complete.
  std::int64_t reserve(std::int64_t asked_ns, std::int64_t bytes) {
    const auto cost_ns = static_cast<std::int64_t>(static_cast<double>(bytes) * ns_per_byte_ + 0.5);
    std::int64_t free_ns = free_ns_.load(std::memory_order_relaxed);
    std::int64_t done_ns = 0;
    do {
      done_ns = std::max(free_ns, asked_ns) + cost_ns;
    } while (!free_ns_.compare_exchange_weak(free_ns, done_ns, std::memory_order_relaxed));
    return done_ns;
  }

 private:
  double ns_per_byte_;
  std::atomic<std::int64_t> free_ns_{0};
};

}  // namespace stash
