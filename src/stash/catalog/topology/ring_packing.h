#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stash {

// Links of equal rate between nodes, each full duplex: `links[a * nodes + b]` of them from a to b, and as many back.
struct LinkMesh {
  std::size_t nodes = 0;
  std::vector<int> links;
};

struct RingPacking {
  int count = 0;           // that fit at the same time
  std::vector<int> first;  // the nodes along one of them; empty: none fits
};

enum class RingShape {
  ring,          // one way round; each hop takes a link in its direction
  ring_relayed,  // hops without a link may pass one node in between
  chain,         // open, both ways; each hop takes a link in both directions
};

// As many rings or chains through all nodes as links allow. The search is bounded: beyond about ten nodes it may miss
// some.
RingPacking pack_rings(const LinkMesh& mesh, RingShape shape);

}  // namespace stash
