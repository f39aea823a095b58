#pragma once

#include <limits>
#include <map>
#include <optional>

#include "stash/attribute/links.h"
#include "stash/predict/bucket_calls.h"

namespace stash {

inline constexpr int kMostRanksPerNode = 1 << 12;
inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// How gradients are summed; docs/prediction.md has the formulas. `quickest` picks the fastest of the next three for
// each size, as NCCL does. `server` sums in host memory, as parameter servers do; `gather` on one GPU of each node, as
// frameworks without NCCL do.
enum class AllReduce { quickest, ring, tree, hierarchical, server, gather };

// What collectives cost besides the time that their bytes need. The parts are those of the ranks of a node alone, or of
// all ranks of all nodes.
struct SideCosts {
  double overlap_ratio = 0;  // share of the time hidden behind the backward pass that is lost all the same
  double wait_ratio = 0;     // of the computing: ranks wait for the slowest of them
};

// Equal nodes with equal ranks, one for each GPU. A rate that does not matter is kNoLimit. A rate between two ends
// holds in each direction.
struct Cluster {
  int nodes = 1;
  int ranks_per_node = 1;

  // Inside a node. Links between GPUs may hang under shared uplinks (PCIe switches); then what does not stay under one
  // uplink passes two, and without `peer_to_peer` everything does, on its way through the host's memory.
  double link_bytes_per_s = kNoLimit;  // of each GPU
  double link_latency_s = 0;           // of a hop
  int ranks_per_uplink = 0;            // 0: no shared uplinks
  double uplink_bytes_per_s = kNoLimit;
  bool peer_to_peer = true;

  double network_bytes_per_s = kNoLimit;  // of each node
  double network_latency_s = 0;           // of a hop

  AllReduce all_reduce = AllReduce::quickest;
  double collective_s = 0;      // of every call, whatever its size
  bool switch_reduces = false;  // GPUs send every byte once, and the switch between them adds up
  double ramp_ratio = 0;        // of the geometric mean of a call's latency and its bytes' time: filling the pipeline
  double host_bytes_per_s = kNoLimit;  // of a node's host memory, for all copies of `server` and `gather` together
  SideCosts node_costs;
  SideCosts joined_costs;
  InFlight in_flight;
  // An all-reduce as measured among just these ranks, in place of what follows from the links: see ring_link for
  // others.
  std::optional<LinkFit> measured_node;    // among the ranks of a node
  std::optional<LinkFit> measured_joined;  // among all

  double contention_ratio = 1;  // how many times as long a step takes when all ranks of a node compute
  std::optional<double>
      copy_bytes_per_s;         // host to device, each GPU; nullopt: no memory of its own, `staged` is absent
  bool copies_overlap = false;  // with the step before, by a second stream

  double cores = kNoLimit;                // of each node, for the workers of all its ranks
  double storage_bytes_per_s = kNoLimit;  // of each node
  bool storage_per_rank = false;          // that rate for each rank, as `--inject read=` has it

  std::map<int, double> late_s;  // by rank: extra time in every step
};

// Error names a figure that is missing, negative or not a number.
void check(const Cluster& cluster);

// The hop of a ring of `ranks` whose all-reduces take what was fitted.
struct RingLink {
  double latency_s = 0;
  double bytes_per_s = 0;
};
RingLink ring_link(const LinkFit& fit, int ranks);

}  // namespace stash
