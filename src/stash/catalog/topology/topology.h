#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stash/catalog/instance.h"

namespace stash {

// How far one GPU reads and writes another's memory over PCIe; what is further goes through the host's memory.
enum class PeerReach { none, pcie_switch, host_bridge, socket, machine };

// A place where PCIe lanes meet. Places form a tree under each socket; sockets have none above them.
struct PciePlace {
  enum class Kind { socket, host_bridge, pcie_switch };
  Kind kind = Kind::socket;
  std::optional<int> above;           // index of the place above; nullopt: a socket
  std::optional<double> bytes_per_s;  // towards the place above; nullopt: it limits nothing
};

// What hangs at a place: a GPU or a network card. The rate is that of one direction.
struct PcieDevice {
  int place = 0;
  double bytes_per_s = 0;
};

struct NetworkCard {
  int place = 0;
  double bytes_per_s = 0;  // of the network, not of the slot
};

// NVLinks between two GPUs.
struct NvlinkPair {
  int first = 0;
  int second = 0;
  int links = 0;
};

// The GPUs of a machine and all that joins them, at the rates of data sheets.
struct Topology {
  std::string name;
  std::string source;
  std::string date;
  std::vector<std::string> machines;  // of the catalogue, that are wired like this

  PeerReach peer_reach = PeerReach::none;
  std::vector<PciePlace> places;                  // a place comes after the one above it
  std::optional<double> socket_link_bytes_per_s;  // between sockets; nullopt: it limits nothing that is known
  std::vector<PcieDevice> gpus;                   // by index, as CUDA counts them
  std::vector<NetworkCard> network_cards;
  double nvlink_bytes_per_s = 0;            // of one link; 0: there are none
  std::vector<NvlinkPair> nvlinks;          // direct links between GPUs
  std::optional<int> switch_links_per_gpu;  // NVLinks of every GPU to NVSwitches that join all
  bool switch_reduces = false;              // NVSwitches add up themselves (NVLS)
};

// The socket above a place.
int socket_of(const Topology& topology, int place);

// NVLinks between two GPUs, direct ones.
int nvlinks_between(const Topology& topology, int first, int second);

// The topologies of catalog/topologies, which are part of the program.
std::span<const Topology> topology_table();

// nullptr: how the machine is wired is not published. The result lives as long as the program.
const Topology* topology_of(const Instance& instance);

}  // namespace stash
