#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stash/catalog/topology/topology.h"

namespace stash {

// What the slowest hop of a ring goes through. Across sockets: PCIe, with or without the host's memory.
enum class RingPath { nvswitch, nvlink, pcie_peer, host_memory, across_sockets };
std::string_view to_string(RingPath path);

// The rings that NCCL would use inside a node. Rates are those of data sheets; what is reached of them is another
// matter.
struct NodeRings {
  RingPath kind = RingPath::nvswitch;
  double ring_bytes_per_s = 0;   // bus bandwidth of all channels together
  double chain_bytes_per_s = 0;  // the same for trees, which are chains inside a node: they need not close a ring
  int channels = 0;              // rings at once; those that only double others are not counted
  bool nvls = false;             // the NVSwitch adds up
  bool peer_to_peer = true;      // no hop goes through the host's memory
  std::vector<int> order;        // GPUs along the first ring
  std::optional<std::pair<int, int>> slowest_pair;  // neighbours in `order`; nullopt: all hops are alike
  std::string why;                                  // what limits the rings
  std::optional<double> nic_bytes_per_s;            // network cards of the GPUs' sockets, together; nullopt: unknown
};

// `gpus` are different indices of the topology's GPUs; Error if not. One GPU has no ring: channels and rates are 0.
NodeRings find_rings(const Topology& topology, std::span<const int> gpus);

// Of the machine's first `gpus`, which a job takes unless told otherwise.
NodeRings find_rings(const Topology& topology, int gpus);

}  // namespace stash
