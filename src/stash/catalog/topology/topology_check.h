#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/catalog/gpu.h"
#include "stash/catalog/instance.h"
#include "stash/catalog/topology/ring_search.h"
#include "stash/catalog/topology/smi_matrix.h"

namespace stash {

// A GPU's PCIe slot, as the kernel sees it.
struct GpuSlot {
  std::string address;  // 0000:3b:00.0
  int lanes = 0;        // in use
  int most_lanes = 0;   // that the GPU has
  bool operator==(const GpuSlot&) const = default;
};

// What is at hand to examine. The type is the machine's in the catalogue.
struct MachineWiring {
  SmiMatrix matrix;
  const Gpu* gpu = nullptr;        // nullptr: not known
  const Instance* type = nullptr;  // nullptr: not known
  std::vector<GpuSlot> slots;      // empty: not known
};

struct GpuPair {
  std::size_t first = 0;
  std::size_t second = 0;
  SmiCell connection;
};

// How a machine is wired, and what is wrong with it.
struct TopologyFindings {
  std::size_t gpus = 0;
  std::optional<GpuPair> slowest_pair;  // of all; nullopt: all are connected alike
  NodeRings rings;                      // of all GPUs
  bool rates_are_assumed = false;       // the GPU is not known
  std::optional<std::string> type;      // what it was compared with; nullopt: nothing
  bool type_is_published = false;       // false: only the number of GPUs was compared
  std::vector<std::string> faults;      // sentences for a support ticket
};

TopologyFindings examine(const MachineWiring& wiring);

}  // namespace stash
