#pragma once

#include <cstdint>

namespace stash {

// A well mixed function of its argument (SplitMix64's finaliser).
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// SplitMix64: eight bytes of state, the same numbers on every machine. Not for secrets.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(mix(seed + kStep)) {}

  constexpr std::uint64_t next() { return mix(state_ += kStep); }
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // [0, 1)
  constexpr double uniform(double low, double high) { return low + (high - low) * uniform(); }
  constexpr std::int64_t below(std::int64_t bound) {  // [0, bound), bound < 2^32
    return static_cast<std::int64_t>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15U;
  std::uint64_t state_;
};

}  // namespace stash
