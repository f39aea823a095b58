#include "stash/catalog/topology/mixed_rings.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "stash/catalog/topology/hops.h"

namespace stash {
namespace {

// Hops among the chosen GPUs, each looked up many times.
class HopTable {
 public:
  HopTable(const Wiring& wiring, std::span<const int> gpus) : size_(gpus.size()) {
    for (const int from : gpus) {
      for (const int to : gpus) hops_.push_back(from == to ? Hop{} : wiring.hop(from, to));
    }
  }
  const Hop& operator()(std::size_t from, std::size_t to) const { return hops_[from * size_ + to]; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::vector<Hop> hops_;
};

using RingOrder = std::vector<std::size_t>;  // indices of the chosen GPUs

struct Bottleneck {
  double bytes_per_s = std::numeric_limits<double>::infinity();  // of each flow
  std::size_t edge = 0;
  int flows = 0;  // over that edge
};

// All flows wait for each other, so all run at the rate of the slowest: an edge's rate is shared by its flows.
class Flows {
 public:
  explicit Flows(const Wiring& wiring) : wiring_(wiring), flows_(wiring.edge_count()) {}

  void add(const Hop& hop) {
    for (const std::size_t edge : hop.edges) ++flows_[edge];
  }

  Bottleneck bottleneck() const {
    Bottleneck found;
    for (std::size_t edge = 0; edge < flows_.size(); ++edge) {
      if (flows_[edge] == 0) continue;
      const double share = wiring_.bytes_per_s(edge) / flows_[edge];
      if (share < found.bytes_per_s) found = {share, edge, flows_[edge]};
    }
    return found;
  }

 private:
  const Wiring& wiring_;
  std::vector<int> flows_;
};

enum class Ways { one, both };

Bottleneck ring_bottleneck(const Wiring& wiring, const HopTable& hops, const RingOrder& order, Ways ways,
                           std::size_t hop_count) {
  Flows flows(wiring);
  for (std::size_t i = 0; i < hop_count; ++i) {
    const std::size_t from = order[i], to = order[(i + 1) % order.size()];
    flows.add(hops(from, to));
    if (ways == Ways::both) flows.add(hops(to, from));
  }
  return flows.bottleneck();
}

// From `start` always to the nearest GPU that is left: on a tree of switches this crosses each uplink once each way.
RingOrder nearest_first(const Topology& topology, std::span<const int> gpus, const HopTable& hops, std::size_t start) {
  RingOrder order{start};
  while (order.size() < hops.size()) {
    const std::size_t from = order.back();
    const auto distance = [&](std::size_t to) {
      return std::tuple(-nvlinks_between(topology, gpus[from], gpus[to]), hops(from, to).path,
                        hops(from, to).edges.size());
    };
    std::optional<std::size_t> best;
    for (std::size_t to = 0; to < hops.size(); ++to) {
      if (std::ranges::find(order, to) != order.end()) continue;
      if (!best || distance(to) < distance(*best)) best = to;
    }
    order.push_back(*best);
  }
  return order;
}

struct MixedRing {
  RingOrder order;
  Bottleneck bottleneck;
  int channels = 0;
  double bytes_per_s = 0;
};

// One ring, or two in opposite directions where that is faster (bridged pairs leave half of each slot idle).
MixedRing best_ways(const Wiring& wiring, const HopTable& hops, RingOrder order) {
  const Bottleneck one = ring_bottleneck(wiring, hops, order, Ways::one, order.size());
  MixedRing ring{std::move(order), one, 1, one.bytes_per_s};
  if (ring.order.size() < 3) return ring;
  const Bottleneck both = ring_bottleneck(wiring, hops, ring.order, Ways::both, ring.order.size());
  if (2 * both.bytes_per_s > ring.bytes_per_s) {
    ring.bottleneck = both;
    ring.channels = 2;
    ring.bytes_per_s = 2 * both.bytes_per_s;
  }
  return ring;
}

std::string path_text(const Hop& hop) {
  switch (hop.path) {
    case RingPath::pcie_peer:
      return "through a PCIe switch";
    case RingPath::host_memory:
      return "through the host's memory";
    case RingPath::across_sockets:
      return hop.peer_to_peer ? "from one socket to the other" : "through the host's memory and across sockets";
    default:
      return "over NVLinks";
  }
}

std::string reason(const Wiring& wiring, const Hop& slowest, const Bottleneck& bottleneck) {
  const std::string limit =
      fmt::format("{} ({:g} GB/s) limits it", wiring.name(bottleneck.edge), wiring.bytes_per_s(bottleneck.edge) * 1e-9);
  return fmt::format("data go {}; {}{}", path_text(slowest), limit,
                     bottleneck.flows > 1 ? fmt::format(", {} transfers share it", bottleneck.flows) : "");
}

// The hop of the ring that is worst, and whether others are better.
struct WorstHop {
  std::size_t from = 0, to = 0;
  bool is_alone_worst = false;
};

WorstHop worst_hop(const HopTable& hops, const RingOrder& order) {
  const auto badness = [&](std::size_t i) {
    const Hop& hop = hops(order[i], order[(i + 1) % order.size()]);
    return std::pair(hop.path, hop.edges.size());
  };
  std::size_t worst = 0;
  bool differ = false;
  for (std::size_t i = 1; i < order.size(); ++i) {
    differ = differ || badness(i) != badness(0);
    if (badness(i) > badness(worst)) worst = i;
  }
  return {order[worst], order[(worst + 1) % order.size()], differ};
}

}  // namespace

NodeRings mixed_rings(const Topology& topology, std::span<const int> gpus) {
  const Wiring wiring(topology);
  const HopTable hops(wiring, gpus);
  MixedRing best;
  for (std::size_t start = 0; start < gpus.size(); ++start) {
    MixedRing ring = best_ways(wiring, hops, nearest_first(topology, gpus, hops, start));
    if (ring.bytes_per_s > best.bytes_per_s) best = std::move(ring);
  }
  const WorstHop worst = worst_hop(hops, best.order);
  const Hop& slowest = hops(worst.from, worst.to);
  NodeRings rings;
  rings.kind = slowest.path;
  rings.channels = best.channels;
  rings.ring_bytes_per_s = best.bytes_per_s;
  // A chain sends both ways at once, half of a ring's bytes each.
  const Bottleneck chain = ring_bottleneck(wiring, hops, best.order, Ways::both, best.order.size() - 1);
  rings.chain_bytes_per_s = std::max(best.bytes_per_s, 2 * chain.bytes_per_s);
  for (std::size_t i = 0; i < best.order.size(); ++i) {
    rings.order.push_back(gpus[best.order[i]]);
    rings.peer_to_peer =
        rings.peer_to_peer && hops(best.order[i], best.order[(i + 1) % best.order.size()]).peer_to_peer;
  }
  if (worst.is_alone_worst) rings.slowest_pair = std::pair(gpus[worst.from], gpus[worst.to]);
  rings.why = reason(wiring, slowest, best.bottleneck);
  return rings;
}

}  // namespace stash
