#include "stash/catalog/topology/ring_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <tuple>

#include "stash/catalog/topology/hops.h"
#include "stash/catalog/topology/ring_packing.h"
#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::array<std::string_view, 5> kPaths{"nvswitch", "nvlink", "pcie_peer", "host_memory", "across_sockets"};

void check_gpus(const Topology& topology, std::span<const int> gpus) {
  std::set<int> seen;
  for (const int gpu : gpus) {
    if (gpu < 0 || gpu >= static_cast<int>(topology.gpus.size())) {
      throw Error(fmt::format("{} has {} GPUs, none with index {}", topology.name, topology.gpus.size(), gpu));
    }
    if (!seen.insert(gpu).second) throw Error(fmt::format("GPU {} is named twice", gpu));
  }
  if (gpus.empty()) throw Error("a ring needs GPUs");
}

NodeRings switched_rings(const Topology& topology, std::span<const int> gpus) {
  NodeRings rings;
  rings.kind = RingPath::nvswitch;
  rings.channels = *topology.switch_links_per_gpu;
  rings.ring_bytes_per_s = rings.channels * topology.nvlink_bytes_per_s;
  rings.chain_bytes_per_s = rings.ring_bytes_per_s;
  rings.nvls = topology.switch_reduces;
  rings.order.assign(gpus.begin(), gpus.end());
  rings.why = fmt::format("each GPU has {} NVLinks to the NVSwitches", rings.channels);
  return rings;
}

LinkMesh mesh_of(const Topology& topology, std::span<const int> gpus) {
  LinkMesh mesh{gpus.size(), {}};
  for (const int from : gpus) {
    for (const int to : gpus) mesh.links.push_back(from == to ? 0 : nvlinks_between(topology, from, to));
  }
  return mesh;
}

// Neighbours of a ring whose data pass a GPU in between.
std::optional<std::pair<int, int>> relayed_pair(const Topology& topology, const std::vector<int>& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int from = order[i], to = order[(i + 1) % order.size()];
    if (nvlinks_between(topology, from, to) == 0) return std::pair(from, to);
  }
  return std::nullopt;
}

// Rings over NVLinks alone; nullopt: they do not join all GPUs in a ring.
std::optional<NodeRings> nvlink_rings(const Topology& topology, std::span<const int> gpus) {
  const LinkMesh mesh = mesh_of(topology, gpus);
  RingPacking packing = pack_rings(mesh, RingShape::ring);
  if (packing.count == 0) packing = pack_rings(mesh, RingShape::ring_relayed);
  if (packing.count == 0) return std::nullopt;
  NodeRings rings;
  rings.kind = RingPath::nvlink;
  rings.channels = packing.count;
  rings.ring_bytes_per_s = packing.count * topology.nvlink_bytes_per_s;
  const int chains = pack_rings(mesh, RingShape::chain).count;
  rings.chain_bytes_per_s = std::max(rings.ring_bytes_per_s, 2 * chains * topology.nvlink_bytes_per_s);
  for (const int node : packing.first) rings.order.push_back(gpus[static_cast<std::size_t>(node)]);
  rings.slowest_pair = relayed_pair(topology, rings.order);
  rings.why = rings.slowest_pair ? fmt::format("GPU {} and GPU {} have no NVLink: another GPU passes their data on",
                                               rings.slowest_pair->first, rings.slowest_pair->second)
                                 : fmt::format("{} rings fit on the NVLinks, {:g} GB/s each", rings.channels,
                                               topology.nvlink_bytes_per_s * 1e-9);
  return rings;
}

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

// Those of the GPUs' own sockets; where these have none, data cross the sockets to reach the others.
std::optional<double> network_cards(const Topology& topology, std::span<const int> gpus) {
  std::set<int> sockets;
  for (const int gpu : gpus) sockets.insert(socket_of(topology, topology.gpus[static_cast<std::size_t>(gpu)].place));
  double near_bytes_per_s = 0, all_bytes_per_s = 0;
  for (const NetworkCard& card : topology.network_cards) {
    all_bytes_per_s += card.bytes_per_s;
    if (sockets.contains(socket_of(topology, card.place))) near_bytes_per_s += card.bytes_per_s;
  }
  if (topology.network_cards.empty()) return std::nullopt;
  return near_bytes_per_s > 0 ? near_bytes_per_s : all_bytes_per_s;
}

NodeRings one_gpu(std::span<const int> gpus) {
  NodeRings rings;
  rings.order.assign(gpus.begin(), gpus.end());
  rings.why = "one GPU needs no ring";
  return rings;
}

NodeRings rings_inside(const Topology& topology, std::span<const int> gpus) {
  if (gpus.size() == 1) return one_gpu(gpus);
  if (topology.switch_links_per_gpu) return switched_rings(topology, gpus);
  if (std::optional<NodeRings> rings = nvlink_rings(topology, gpus)) return *std::move(rings);
  return mixed_rings(topology, gpus);
}

}  // namespace

std::string_view to_string(RingPath path) { return kPaths[static_cast<std::size_t>(path)]; }

NodeRings find_rings(const Topology& topology, std::span<const int> gpus) {
  check_gpus(topology, gpus);
  NodeRings rings = rings_inside(topology, gpus);
  rings.nic_bytes_per_s = network_cards(topology, gpus);
  return rings;
}

NodeRings find_rings(const Topology& topology, int gpus) {
  const int most = static_cast<int>(topology.gpus.size());
  if (gpus > most) throw Error(fmt::format("{} has {} GPUs, not {}", topology.name, most, gpus));
  std::vector<int> first;
  for (int gpu = 0; gpu < gpus; ++gpu) first.push_back(gpu);
  return find_rings(topology, first);
}

}  // namespace stash
