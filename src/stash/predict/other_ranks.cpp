#include "stash/predict/other_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/core/error.h"

namespace stash {
namespace {

void use_node_hops(Cluster& cluster, int ranks_per_node) {
  if (ranks_per_node > 1 && !cluster.measured_node && std::isinf(cluster.link_bytes_per_s)) {
    throw Error(fmt::format(
        "--set ranks={}: the profile has {} rank{} on each node and no rate of a link between them; profile the job "
        "with two ranks or more, or add --set links=RATE",
        ranks_per_node, cluster.ranks_per_node, cluster.ranks_per_node == 1 ? "" : "s"));
  }
  if (!cluster.measured_node) return;
  const RingLink hop = ring_link(*cluster.measured_node, cluster.ranks_per_node);
  cluster.link_latency_s = hop.latency_s;
  cluster.link_bytes_per_s = hop.bytes_per_s;
  cluster.measured_node.reset();
}

// A ring of all ranks passes from node to node as often as there are nodes, out and back; its other hops stay inside.
void use_joined_hops(Cluster& cluster) {
  if (!cluster.measured_joined) return;
  const int ranks = cluster.nodes * cluster.ranks_per_node;
  const double across = 2.0 * (cluster.nodes - 1), inside = 2.0 * (ranks - 1) - across;
  cluster.network_bytes_per_s = ring_link(*cluster.measured_joined, ranks).bytes_per_s;
  cluster.network_latency_s =
      std::max(0.0, cluster.measured_joined->latency_s - inside * cluster.link_latency_s) / across;
  cluster.measured_joined.reset();
}

// Ranks that share cores take turns, whatever else they share.
void use_cores(DescribedCluster& described, int ranks_per_node) {
  Cluster& cluster = described.cluster;
  const double turns = std::max(1.0, ranks_per_node / cluster.cores);
  cluster.contention_ratio *= turns / std::max(1.0, cluster.ranks_per_node / cluster.cores);
  described.assumptions.push_back(
      turns > 1 ? fmt::format("{} ranks that compute take turns on {:g} cores", ranks_per_node, cluster.cores)
                : "ranks that have a core each cost one another what the measured ones did");
}

void use_contention(DescribedCluster& described, int ranks_per_node) {
  Cluster& cluster = described.cluster;
  const int measured = cluster.ranks_per_node;
  if (measured == 1) {
    described.contention_is_known = false;
    described.assumptions.push_back("contention is not known: the profile has one rank on each node");
    return;
  }
  cluster.contention_ratio = 1 + (cluster.contention_ratio - 1) * (ranks_per_node - 1) / (measured - 1);
  described.assumptions.push_back(
      ranks_per_node < measured
          ? fmt::format("contention of {} ranks follows from that of the {} measured, in proportion", ranks_per_node,
                        measured)
          : fmt::format("contention of more than the {} ranks measured is not known: it is taken to grow in proportion",
                        measured));
}

// A late rank stays late if it is still there.
void keep_late_ranks(Cluster& cluster, int ranks_per_node) {
  std::map<int, double> late_s;
  for (const auto& [rank, s] : cluster.late_s) {
    const int node = rank / cluster.ranks_per_node, place = rank % cluster.ranks_per_node;
    if (place < ranks_per_node) late_s[node * ranks_per_node + place] = s;
  }
  cluster.late_s = std::move(late_s);
}

}  // namespace

void use_ranks(DescribedCluster& described, int ranks_per_node, bool computes_on_cpu) {
  Cluster& cluster = described.cluster;
  if (ranks_per_node == cluster.ranks_per_node) return;
  use_node_hops(cluster, ranks_per_node);
  use_joined_hops(cluster);
  if (computes_on_cpu && described.contention_is_known) {
    use_cores(described, ranks_per_node);
  } else {
    use_contention(described, ranks_per_node);
  }
  keep_late_ranks(cluster, ranks_per_node);
  cluster.ranks_per_node = ranks_per_node;
}

}  // namespace stash
