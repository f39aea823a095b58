#pragma once

#include <cstdint>
#include <string>

namespace stash {

// Sizes of a sweep begin here.
inline constexpr std::int64_t kSmallestLinkBytes = 1024;

// Calls of one size over one kind of link, by themselves.
struct LinkTime {
  std::string scope;  // node: among the ranks of a node; joined: among all; pair: between two nodes' first ranks;
                      // host: host memory and rank 0's device
  std::string op{};   // allreduce | allgather | reduce_scatter | exchange | to_device,pinned | to_host,pageable | ...
  int node = 0;       // of the node; of a pair the first
  int other = 0;      // of a pair the second
  int ranks = 0;      // that take part
  std::int64_t bytes = 0;  // as nccl-tests counts them: what all ranks have in the end, or had at first
  int repeats = 0;
  double s = 0;  // of one call on the slowest rank: median, smallest and largest of the repeats
  double low_s = 0;
  double high_s = 0;
  bool operator==(const LinkTime&) const = default;
};

}  // namespace stash
