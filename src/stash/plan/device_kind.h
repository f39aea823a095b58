#pragma once

#include <string>
#include <vector>

namespace stash {

// Equal devices. Rates are those of one direction.
struct DeviceKind {
  std::string name{};
  bool by_machine = false;  // `name` is a machine's, not its devices'
  int nodes = 1;
  int per_node = 1;
  double link_bytes_per_s = 0;     // of a device to others of its node
  double network_bytes_per_s = 0;  // of a node
  double memory_bytes = 0;         // of a device
  std::vector<double> layer_s{};   // of each split layer: the whole batch, forward and backward, on one device
  std::vector<double> fixed_s{};   // of each, however small its part: launches; empty: none
  double optimizer_s = 0;          // of all weights on one device

  int count() const { return nodes * per_node; }
  std::string text() const;                // as they were asked for: "3xg4dn.12xlarge", "12xT4"
  std::string text_of(int devices) const;  // some of them: "6 GPUs of g4dn.12xlarge", "6xT4"
};

// The rate at which `devices` of a kind reach others, all of them together: over their links, or over their nodes'
// networks.
double group_bytes_per_s(const DeviceKind& kind, int devices, bool leaves_node);

}  // namespace stash
