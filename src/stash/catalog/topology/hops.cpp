#include "stash/catalog/topology/hops.h"

#include <fmt/format.h>

#include <limits>

namespace stash {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

const PciePlace& place_of(const Topology& topology, int place) {
  return topology.places[static_cast<std::size_t>(place)];
}

const PcieDevice& gpu_at(const Topology& topology, int gpu) { return topology.gpus[static_cast<std::size_t>(gpu)]; }

}  // namespace

// Edges are numbered: slots up, slots down, uplinks up, uplinks down, sockets to sockets, GPUs to GPUs.
Wiring::Wiring(const Topology& topology) : topology_(topology) {
  const std::size_t gpus = topology.gpus.size(), places = topology.places.size();
  bytes_per_s_.assign(2 * gpus + 2 * places + places * places + gpus * gpus, kUnlimited);
  for (const Direction direction : {Direction::up, Direction::down}) {
    for (int gpu = 0; gpu < static_cast<int>(gpus); ++gpu) {
      bytes_per_s_[slot(gpu, direction)] = gpu_at(topology, gpu).bytes_per_s;
    }
    for (int place = 0; place < static_cast<int>(places); ++place) {
      bytes_per_s_[uplink(place, direction)] = place_of(topology, place).bytes_per_s.value_or(kUnlimited);
    }
  }
  for (int from = 0; from < static_cast<int>(places); ++from) {
    for (int to = 0; to < static_cast<int>(places); ++to) {
      bytes_per_s_[between_sockets(from, to)] = topology.socket_link_bytes_per_s.value_or(kUnlimited);
    }
  }
  for (const NvlinkPair& pair : topology.nvlinks) {
    bytes_per_s_[nvlinks(pair.first, pair.second)] = pair.links * topology.nvlink_bytes_per_s;
    bytes_per_s_[nvlinks(pair.second, pair.first)] = pair.links * topology.nvlink_bytes_per_s;
  }
}

std::size_t Wiring::slot(int gpu, Direction direction) const {
  return static_cast<std::size_t>(gpu) + (direction == Direction::up ? 0 : topology_.gpus.size());
}

std::size_t Wiring::uplink(int place, Direction direction) const {
  return 2 * topology_.gpus.size() + static_cast<std::size_t>(place) +
         (direction == Direction::up ? 0 : topology_.places.size());
}

std::size_t Wiring::between_sockets(int from, int to) const {
  const std::size_t places = topology_.places.size();
  return 2 * topology_.gpus.size() + 2 * places + static_cast<std::size_t>(from) * places +
         static_cast<std::size_t>(to);
}

std::size_t Wiring::nvlinks(int from, int to) const {
  const std::size_t gpus = topology_.gpus.size(), places = topology_.places.size();
  return 2 * gpus + 2 * places + places * places + static_cast<std::size_t>(from) * gpus + static_cast<std::size_t>(to);
}

std::string Wiring::name(std::size_t edge) const {
  const std::size_t gpus = topology_.gpus.size(), places = topology_.places.size();
  if (edge < 2 * gpus) return fmt::format("the PCIe slot of GPU {}", edge % gpus);
  if (edge < 2 * gpus + 2 * places) {
    const std::size_t place = (edge - 2 * gpus) % places;
    return topology_.places[place].kind == PciePlace::Kind::pcie_switch ? "the uplink of a PCIe switch"
                                                                        : "a host bridge";
  }
  return edge < 2 * gpus + 2 * places + places * places ? "the link between sockets" : "the NVLinks of a pair";
}

void Wiring::climb(std::vector<std::size_t>& edges, int gpu, std::optional<int> top, Direction direction) const {
  edges.push_back(slot(gpu, direction));
  for (std::optional<int> place = gpu_at(topology_, gpu).place; place != top;) {
    edges.push_back(uplink(*place, direction));
    place = place_of(topology_, *place).above;
  }
}

std::optional<int> Wiring::common_place(int from, int to) const {
  for (std::optional<int> a = gpu_at(topology_, from).place; a; a = place_of(topology_, *a).above) {
    for (std::optional<int> b = gpu_at(topology_, to).place; b; b = place_of(topology_, *b).above) {
      if (a == b) return a;
    }
  }
  return std::nullopt;
}

bool Wiring::reaches(std::optional<int> common) const {
  if (!common) return topology_.peer_reach == PeerReach::machine;
  switch (place_of(topology_, *common).kind) {
    case PciePlace::Kind::pcie_switch:
      return topology_.peer_reach >= PeerReach::pcie_switch;
    case PciePlace::Kind::host_bridge:
      return topology_.peer_reach >= PeerReach::host_bridge;
    default:
      return topology_.peer_reach >= PeerReach::socket;
  }
}

Hop Wiring::hop(int from, int to) const {
  if (nvlinks_between(topology_, from, to) > 0) return {RingPath::nvlink, true, {nvlinks(from, to)}};
  const std::optional<int> common = common_place(from, to);
  Hop hop;
  hop.peer_to_peer = reaches(common);
  hop.path = !common ? RingPath::across_sockets : hop.peer_to_peer ? RingPath::pcie_peer : RingPath::host_memory;
  const std::optional<int> top = hop.peer_to_peer ? common : std::nullopt;
  climb(hop.edges, from, top, Direction::up);
  const int source = socket_of(topology_, gpu_at(topology_, from).place);
  const int target = socket_of(topology_, gpu_at(topology_, to).place);
  if (source != target) hop.edges.push_back(between_sockets(source, target));
  climb(hop.edges, to, top, Direction::down);
  return hop;
}

}  // namespace stash
