#include "stash/catalog/topology/topology.h"

#include <algorithm>

#include "stash/catalog/topology/embedded_topologies.h"
#include "stash/catalog/topology/topology_text.h"
#include "stash/core/words.h"

namespace stash {
namespace {

std::vector<Topology> embedded_topologies() {
  std::vector<Topology> topologies;
  for (const EmbeddedTopology& embedded : kTopologies) {
    Topology topology = parse_topology(embedded.text, std::string("catalog/topologies/").append(embedded.name));
    topology.name = embedded.name;
    topologies.push_back(std::move(topology));
  }
  return topologies;
}

}  // namespace

int socket_of(const Topology& topology, int place) {
  while (const std::optional<int> above = topology.places[static_cast<std::size_t>(place)].above) place = *above;
  return place;
}

int nvlinks_between(const Topology& topology, int first, int second) {
  const auto found = std::ranges::find_if(topology.nvlinks, [&](const NvlinkPair& pair) {
    return pair.first == std::min(first, second) && pair.second == std::max(first, second);
  });
  return found == topology.nvlinks.end() ? 0 : found->links;
}

std::span<const Topology> topology_table() {
  static const std::vector<Topology> topologies = embedded_topologies();
  return topologies;
}

const Topology* topology_of(const Instance& instance) {
  const std::string name = lower_case(instance.name);
  for (const Topology& topology : topology_table()) {
    for (const std::string& machine : topology.machines) {
      if (lower_case(machine) == name) return &topology;
    }
  }
  return nullptr;
}

}  // namespace stash
