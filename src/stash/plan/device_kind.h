#pragma once

#include <string>
#include <vector>

namespace stash {

// Equal devices. Rates are those of one direction.
struct DeviceKind {
  std::string name{};
  int nodes = 1;
  int per_node = 1;
  double link_bytes_per_s = 0;     // of a device to others of its node
  double network_bytes_per_s = 0;  // of a node
  double memory_bytes = 0;         // of a device
  std::vector<double> layer_s{};   // of each split layer: the whole batch, forward and backward, on one device
  std::vector<double> fixed_s{};   // of each, however small its part: launches; empty: none
  double optimizer_s = 0;          // of all weights on one device

  int count() const { return nodes * per_node; }
};

// The rate at which `devices` of a kind reach others, all of them together: over their links, or over their nodes'
// networks.
double group_bytes_per_s(const DeviceKind& kind, int devices, bool leaves_node);

}  // namespace stash
