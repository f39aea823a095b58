#include "stash/catalog/topology/smi_topology.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

namespace stash {
namespace {

// GeForce cards from these on copy to each other over NVLink only.
constexpr std::array<std::string_view, 4> kNoPeersOverPcie{"RTX-2080-Ti", "RTX-3080", "RTX-3090", "RTX-4090"};

// Their chip has NVLinks of fewer lanes than the A100.
constexpr std::array<std::string_view, 3> kNarrowNvlinks{"RTX-3090", "RTX-A6000", "A40"};
constexpr double kNarrowNvlinkBytes_per_s = 14.0625e9;

template <class Names>
bool is_among(const Gpu* gpu, const Names& names) {
  return gpu != nullptr && std::ranges::find(names, gpu->name) != names.end();
}

double slot_bytes_per_s(const Gpu* gpu) {
  if (gpu == nullptr || gpu->generation < Generation::ampere) return 12.5e9;
  return gpu->generation < Generation::hopper ? 25e9 : 50e9;
}

double nvlink_bytes_per_s(const Gpu* gpu) {
  if (gpu == nullptr) return 25e9;
  if (is_among(gpu, kNarrowNvlinks)) return kNarrowNvlinkBytes_per_s;
  if (gpu->generation == Generation::pascal) return 20e9;
  return gpu->generation == Generation::blackwell ? 50e9 : 25e9;
}

int nvlinks_of_gpu(const Gpu* gpu) {
  constexpr int kMostOfAny = 18;
  if (gpu == nullptr) return kMostOfAny;
  switch (gpu->generation) {
    case Generation::pascal:
      return 4;
    case Generation::volta:
    case Generation::turing:
      return 6;
    case Generation::ampere:
      return 12;
    default:
      return kMostOfAny;
  }
}

// All GPUs reach all others over NVLinks, one of them over more than it has: a switch joins them. The links of each GPU
// to it, the fewest if one of them lost some; nullopt: there is no switch.
std::optional<int> links_to_switch(const SmiMatrix& matrix, const Gpu* gpu) {
  if (matrix.gpus < 3) return std::nullopt;
  int fewest = matrix.at(0, 1).nvlinks, most_of_gpu = 0;
  for (std::size_t a = 0; a < matrix.gpus; ++a) {
    int sum = 0;
    for (std::size_t b = 0; b < matrix.gpus; ++b) {
      if (a == b) continue;
      if (matrix.at(a, b).relation != SmiRelation::nvlink) return std::nullopt;
      fewest = std::min(fewest, matrix.at(a, b).nvlinks);
      sum += matrix.at(a, b).nvlinks;
    }
    most_of_gpu = std::max(most_of_gpu, sum);
  }
  return most_of_gpu > nvlinks_of_gpu(gpu) ? std::optional(fewest) : std::nullopt;
}

// Which GPUs share something: each has the number of the first of its group.
using Groups = std::vector<std::size_t>;

template <class IsTogether>
Groups group(std::size_t gpus, const IsTogether& is_together) {
  Groups groups(gpus);
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  for (std::size_t a = 0; a < gpus; ++a) {
    for (std::size_t b = a + 1; b < gpus; ++b) {
      if (is_together(a, b)) std::ranges::replace(groups, groups[b], groups[a]);
    }
  }
  return groups;
}

// NVLinks hide how a pair is joined otherwise; then the same cores mean the same socket.
bool share_socket(const SmiMatrix& matrix, std::size_t a, std::size_t b) {
  const SmiRelation relation = matrix.at(a, b).relation;
  if (relation == SmiRelation::nvlink) {
    return !matrix.cpu_affinity[a].empty() && matrix.cpu_affinity[a] == matrix.cpu_affinity[b];
  }
  return relation != SmiRelation::sys;
}

class PlaceBuilder {
 public:
  PlaceBuilder(const SmiMatrix& matrix, Topology& topology, double slot_bytes_per_s)
      : matrix_(matrix), topology_(topology), slot_bytes_per_s_(slot_bytes_per_s) {
    topology.gpus.resize(matrix.gpus);
    sockets_ = group(matrix.gpus, [&](std::size_t a, std::size_t b) { return share_socket(matrix, a, b); });
    bridges_ = near_groups(SmiRelation::phb);
    trees_ = near_groups(SmiRelation::pxb);
    switches_ = near_groups(SmiRelation::pix);
  }

  void build() {
    std::vector<std::optional<int>> socket(matrix_.gpus), bridge(matrix_.gpus), tree(matrix_.gpus), last(matrix_.gpus);
    using Kind = PciePlace::Kind;
    for (std::size_t gpu = 0; gpu < matrix_.gpus; ++gpu) {
      int place = place_of(socket[sockets_[gpu]], Kind::socket, std::nullopt);
      if (is_shared(bridges_, gpu)) place = place_of(bridge[bridges_[gpu]], Kind::host_bridge, place);
      if (is_shared(trees_, gpu)) place = place_of(tree[trees_[gpu]], Kind::pcie_switch, place);
      if (is_shared(switches_, gpu) && differ(gpu)) place = place_of(last[switches_[gpu]], Kind::pcie_switch, place);
      topology_.gpus[gpu] = {place, slot_bytes_per_s_};
    }
  }

 private:
  Groups near_groups(SmiRelation farthest) const {
    return group(matrix_.gpus, [&](std::size_t a, std::size_t b) {
      const SmiRelation relation = matrix_.at(a, b).relation;
      return relation >= SmiRelation::pix && relation <= farthest;
    });
  }

  static bool is_shared(const Groups& groups, std::size_t gpu) { return std::ranges::count(groups, groups[gpu]) > 1; }

  // A switch below the tree's own.
  bool differ(std::size_t gpu) const {
    return std::ranges::count(switches_, switches_[gpu]) < std::ranges::count(trees_, trees_[gpu]);
  }

  int place_of(std::optional<int>& place, PciePlace::Kind kind, std::optional<int> above) {
    if (!place) {
      place = static_cast<int>(topology_.places.size());
      // A switch has as many lanes upwards as a slot.
      const bool is_switch = kind == PciePlace::Kind::pcie_switch;
      topology_.places.push_back({kind, above, is_switch ? std::optional(slot_bytes_per_s_) : std::nullopt});
    }
    return *place;
  }

  const SmiMatrix& matrix_;
  Topology& topology_;
  double slot_bytes_per_s_;
  Groups sockets_, bridges_, trees_, switches_;
};

}  // namespace

Topology topology_of_matrix(const SmiMatrix& matrix, const Gpu* gpu) {
  Topology topology;
  topology.name = "this machine";
  topology.source = "nvidia-smi topo -m";
  topology.peer_reach = is_among(gpu, kNoPeersOverPcie) ? PeerReach::none : PeerReach::pcie_switch;
  PlaceBuilder(matrix, topology, slot_bytes_per_s(gpu)).build();
  topology.nvlink_bytes_per_s = nvlink_bytes_per_s(gpu);
  if (const std::optional<int> links = links_to_switch(matrix, gpu)) {
    topology.switch_links_per_gpu = links;
    topology.switch_reduces = gpu != nullptr && gpu->generation >= Generation::hopper;
    return topology;
  }
  for (std::size_t a = 0; a < matrix.gpus; ++a) {
    for (std::size_t b = a + 1; b < matrix.gpus; ++b) {
      const int links = matrix.at(a, b).nvlinks;
      if (links > 0) topology.nvlinks.push_back({static_cast<int>(a), static_cast<int>(b), links});
    }
  }
  return topology;
}

}  // namespace stash
