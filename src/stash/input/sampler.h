#pragma once

#include <cstdint>

namespace stash {

// Which sample stands at a position of a rank's endless sequence: epoch after epoch, each shuffled anew from
// the seed, dealt out to the ranks in turn. Every rank gets floor(size / ranks) samples an epoch (one, where
// there are fewer samples than ranks); within an epoch no sample comes twice and no two ranks share one.
// Has no state, so that any thread may ask for any position.
class Sampler {
 public:
  Sampler(std::int64_t size, std::uint64_t seed, int rank, int ranks);

  // `skip` asks for a replacement: the sample `skip` places further on in the same epoch's shuffle.
  std::int64_t index_at(std::int64_t position, std::int64_t skip = 0) const;

  // Seed of the augmentation of the sample at a position; differs between ranks and epochs.
  std::uint64_t augment_seed(std::int64_t position) const;

 private:
  std::int64_t size_;
  std::int64_t per_epoch_;  // of this rank
  std::uint64_t seed_;
  int rank_;
  int ranks_;
};

// A bijection of [0, size): where `index` lands in the shuffle with this key.
std::int64_t permute(std::int64_t index, std::int64_t size, std::uint64_t key);

}  // namespace stash
