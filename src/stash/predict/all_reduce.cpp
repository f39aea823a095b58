#include "stash/predict/all_reduce.h"

#include <algorithm>
#include <bit>

namespace stash {
namespace {

// Transfers of a collective wait for each other, so all run at the rate of the slowest. With fair (max-min) sharing
// that is the rate on the most crowded link: its capacity over the transfers on it.
double crowded_bytes_per_s(double capacity_bytes_per_s, int transfers) {
  return transfers > 0 ? capacity_bytes_per_s / transfers : kNoLimit;
}

int ranks_under_uplink(const Cluster& cluster) { return std::min(cluster.ranks_per_uplink, cluster.ranks_per_node); }

// Transfers that go up an uplink at once, when every rank sends to the next. Ranks that follow each other hang
// together.
int ring_transfers_on_uplink(const Cluster& cluster, bool leaves_node) {
  const int under = ranks_under_uplink(cluster);
  if (under == 0) return 0;
  if (!cluster.peer_to_peer) return under;
  return leaves_node || under < cluster.ranks_per_node ? 1 : 0;
}

double ring_bytes_per_s(const Cluster& cluster, bool leaves_node) {
  const double uplink = crowded_bytes_per_s(cluster.uplink_bytes_per_s, ring_transfers_on_uplink(cluster, leaves_node));
  const double inside = cluster.ranks_per_node > 1 ? cluster.link_bytes_per_s : kNoLimit;
  return std::min({inside, uplink, leaves_node ? cluster.network_bytes_per_s : kNoLimit});
}

// 2 (n - 1) hops one after the other; as NCCL counts, 2 (nodes - 1) of them go between nodes.
PhaseTime ring(const Cluster& cluster, int nodes) {
  const int ranks = nodes * cluster.ranks_per_node;
  const double network_hops = 2.0 * (nodes - 1);
  const double hops = 2.0 * (ranks - 1);
  const double latency_s = (hops - network_hops) * cluster.link_latency_s + network_hops * cluster.network_latency_s;
  return {latency_s + cluster.collective_s, hops / ranks / ring_bytes_per_s(cluster, nodes > 1), cluster.ramp_ratio};
}

// Chains inside the nodes, two binary trees between them, each for half of the bytes: a node is a leaf in one of them.
// A rank inside a chain sends everything twice: towards the root, and away from it.
PhaseTime tree(const Cluster& cluster) {
  const int nodes = cluster.nodes;
  const double chain_hops = 2.0 * (cluster.ranks_per_node - 1);
  const double tree_hops = 2.0 * std::bit_width(static_cast<unsigned>(nodes - 1));
  const double network_s_per_byte = 2.0 * (nodes - 1) / nodes / cluster.network_bytes_per_s;
  const int per_node = cluster.ranks_per_node;
  const double chain_passes = cluster.switch_reduces ? 2.0 * (per_node - 1) / per_node : 2;
  const double chain_s_per_byte = per_node > 1 ? chain_passes / cluster.link_bytes_per_s : 0;
  const double uplink_s_per_byte =
      2 / crowded_bytes_per_s(cluster.uplink_bytes_per_s, ring_transfers_on_uplink(cluster, true));
  return {chain_hops * cluster.link_latency_s + tree_hops * cluster.network_latency_s + cluster.collective_s,
          std::max({network_s_per_byte, chain_s_per_byte, uplink_s_per_byte}), cluster.ramp_ratio};
}

// Reduce-scatter inside the node, as many rings between the nodes as it has ranks, all-gather inside it.
AllReducePlan hierarchical(const Cluster& cluster) {
  const int per_node = cluster.ranks_per_node;
  AllReducePlan plan;
  plan.inside = {(per_node - 1) * cluster.link_latency_s,
                 (per_node - 1.0) / per_node / ring_bytes_per_s(cluster, false)};
  const double lane_bytes_per_s =
      std::min({cluster.link_bytes_per_s, crowded_bytes_per_s(cluster.network_bytes_per_s, per_node),
                crowded_bytes_per_s(cluster.uplink_bytes_per_s, ranks_under_uplink(cluster))});
  const double hops = 2.0 * (cluster.nodes - 1);
  plan.across = {hops * cluster.network_latency_s + cluster.collective_s,
                 hops / cluster.nodes / per_node / lane_bytes_per_s};
  plan.inside.ramp_ratio = plan.across.ramp_ratio = cluster.ramp_ratio;
  return plan;
}

bool sums_on_host(AllReduce way) { return way == AllReduce::server || way == AllReduce::gather; }

// Every rank, or every rank but the one that gathers, copies its gradients away and the sums back. Servers on all nodes
// hold a share of the parameters each and send it to the others.
PhaseTime on_host(const Cluster& cluster, int nodes) {
  const int copying = cluster.all_reduce == AllReduce::server ? cluster.ranks_per_node : cluster.ranks_per_node - 1;
  const double copies_s_per_byte = 2.0 * copying / cluster.host_bytes_per_s;
  const double network_s_per_byte = 2.0 * (nodes - 1) / nodes / cluster.network_bytes_per_s;
  const double latency_s = 2 * cluster.link_latency_s + (nodes > 1 ? 2 * cluster.network_latency_s : 0);
  return {latency_s + cluster.collective_s, copies_s_per_byte + network_s_per_byte, cluster.ramp_ratio};
}

PhaseTime measured(const LinkFit& fit) { return {fit.latency_s, 1 / fit.bytes_per_s}; }

}  // namespace

AllReduceChoice AllReduceChoice::among_node(const Cluster& cluster) {
  AllReduceChoice choice;
  if (cluster.ranks_per_node < 2) return choice;
  if (cluster.measured_node) {
    choice.add({{}, measured(*cluster.measured_node)});
  } else {
    choice.add({{}, sums_on_host(cluster.all_reduce) ? on_host(cluster, 1) : ring(cluster, 1)});
  }
  return choice;
}

AllReduceChoice AllReduceChoice::among_all(const Cluster& cluster) {
  if (cluster.nodes < 2) return among_node(cluster);
  AllReduceChoice choice;
  if (cluster.measured_joined) {
    choice.add({{}, measured(*cluster.measured_joined)});
    return choice;
  }
  const auto wanted = [&](AllReduce way) {
    return cluster.all_reduce == way || cluster.all_reduce == AllReduce::quickest;
  };
  if (sums_on_host(cluster.all_reduce)) choice.add({{}, on_host(cluster, cluster.nodes)});
  if (wanted(AllReduce::ring)) choice.add({{}, ring(cluster, cluster.nodes)});
  if (wanted(AllReduce::tree)) choice.add({{}, tree(cluster)});
  if (wanted(AllReduce::hierarchical)) choice.add(hierarchical(cluster));
  return choice;
}

const AllReducePlan& AllReduceChoice::for_bytes(double bytes) const {
  return *std::min_element(plans_.begin(), plans_.begin() + static_cast<std::ptrdiff_t>(count_),
                           [&](const AllReducePlan& a, const AllReducePlan& b) { return a.s(bytes) < b.s(bytes); });
}

double shared_copy_bytes_per_s(const Cluster& cluster) {
  return std::min(cluster.copy_bytes_per_s.value_or(kNoLimit),
                  crowded_bytes_per_s(cluster.uplink_bytes_per_s, ranks_under_uplink(cluster)));
}

}  // namespace stash
