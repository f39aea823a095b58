#include "stash/input/sampler.h"

#include <algorithm>
#include <bit>

#include "stash/input/random.h"

namespace stash {

namespace {

// Four rounds of a Feistel network whose round function is a good hash look random to any test.
constexpr int kRounds = 4;

std::uint64_t feistel(std::uint64_t value, int half_bits, std::uint64_t key) {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits) - 1;
  std::uint64_t left = value >> half_bits;
  std::uint64_t right = value & mask;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t mixed = left ^ (mix(right + key + static_cast<std::uint64_t>(round)) & mask);
    left = right;
    right = mixed;
  }
  return (left << half_bits) | right;
}

}  // namespace

std::int64_t permute(std::int64_t index, std::int64_t size, std::uint64_t key) {
  const int bits = std::max(2, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size - 1))));
  const int half_bits = (bits + 1) / 2;
  auto value = static_cast<std::uint64_t>(index);
  // The network permutes a power of four; walking along the cycle stays a bijection of the part below `size`.
  do {
    value = feistel(value, half_bits, key);
  } while (value >= static_cast<std::uint64_t>(size));
  return static_cast<std::int64_t>(value);
}

Sampler::Sampler(std::int64_t size, std::uint64_t seed, int rank, int ranks)
    : size_(size), per_epoch_(std::max<std::int64_t>(1, size / ranks)), seed_(seed), rank_(rank), ranks_(ranks) {}

std::int64_t Sampler::index_at(std::int64_t position, std::int64_t skip) const {
  const std::int64_t epoch = position / per_epoch_;
  const std::int64_t place = rank_ + ranks_ * (position % per_epoch_);
  return permute((place + skip) % size_, size_, mix(seed_) + mix(static_cast<std::uint64_t>(epoch) + 1));
}

std::uint64_t Sampler::augment_seed(std::int64_t position) const {
  return mix(mix(seed_ + 1) + static_cast<std::uint64_t>(position) * static_cast<std::uint64_t>(ranks_) +
             static_cast<std::uint64_t>(rank_));
}

}  // namespace stash
