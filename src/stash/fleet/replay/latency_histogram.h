#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace stash {

// Counts of latencies in classes that are 1.6 % wide, from 1 µs to 17 minutes; its size does not depend on their
// number.
class LatencyHistogram {
 public:
  void add(double s) {
    const double bounded = s > kLeast_s ? (s < kMost_s ? s : kMost_s) : kLeast_s;
    ++counts_[(std::bit_cast<std::uint64_t>(bounded) >> kShift) - kFirst];
  }
  void add(const LatencyHistogram& other);
  void clear() { counts_.fill(0); }

  std::uint64_t count() const;
  double quantile(double ratio) const;  // of at least one; in a straight line within a class

 private:
  static constexpr int kShift = 52 - 6;  // 64 classes from one power of two to the next
  static constexpr double kLeast_s = 0x1p-20, kMost_s = 0x1p10;
  static constexpr std::uint64_t kFirst = std::bit_cast<std::uint64_t>(kLeast_s) >> kShift;
  static constexpr std::size_t kClasses = (std::bit_cast<std::uint64_t>(kMost_s) >> kShift) - kFirst + 1;

  std::array<std::uint64_t, kClasses> counts_{};
};

}  // namespace stash
