#include "stash/catalog/topology/ring_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "stash/catalog/topology/mixed_rings.h"
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
