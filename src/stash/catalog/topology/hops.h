#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stash/catalog/topology/ring_search.h"
#include "stash/catalog/topology/topology.h"

namespace stash {

// What a transfer from one GPU to its neighbour in a ring goes through. An edge is one direction of a link.
struct Hop {
  RingPath path = RingPath::nvlink;
  bool peer_to_peer = true;
  std::vector<std::size_t> edges;
};

// The edges of a topology, and the way that NCCL takes between two GPUs: NVLinks, else PCIe up to a common switch, else
// through the host's memory.
class Wiring {
 public:
  explicit Wiring(const Topology& topology);

  Hop hop(int from, int to) const;
  std::size_t edge_count() const { return bytes_per_s_.size(); }
  double bytes_per_s(std::size_t edge) const { return bytes_per_s_[edge]; }  // infinite: it limits nothing
  std::string name(std::size_t edge) const;                                  // "the slot of GPU 3"

 private:
  enum class Direction { up, down };
  std::size_t slot(int gpu, Direction direction) const;
  std::size_t uplink(int place, Direction direction) const;
  std::size_t between_sockets(int from, int to) const;
  std::size_t nvlinks(int from, int to) const;
  // The edges from a GPU's slot to `top`, which is above it; from its socket where there is none.
  void climb(std::vector<std::size_t>& edges, int gpu, std::optional<int> top, Direction direction) const;
  std::optional<int> common_place(int from, int to) const;
  bool reaches(std::optional<int> common) const;

  const Topology& topology_;
  std::vector<double> bytes_per_s_;
};

}  // namespace stash
