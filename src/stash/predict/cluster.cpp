#include "stash/predict/cluster.h"

#include <fmt/format.h>

#include <cmath>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr int kMostRanks = 1 << 20;

void require(bool holds, const char* what, double value, const char* wanted) {
  if (!holds)
    throw Error(fmt::format("a cluster with {} = {} cannot be simulated; it must be {}", what, value, wanted));
}

void check_rate(double value, const char* what) { require(value > 0, what, value, "more than 0"); }

void check_time(double value, const char* what) { require(value >= 0 && !std::isinf(value), what, value, "0 or more"); }

void check_fit(const std::optional<LinkFit>& fit, const char* what) {
  if (!fit) return;
  require(fit->latency_s >= 0 && !std::isinf(fit->latency_s), what, fit->latency_s,
          "fitted with a latency of 0 or more");
  require(fit->bytes_per_s > 0, what, fit->bytes_per_s, "fitted with a rate of more than 0");
}

void check_costs(const SideCosts& costs) {
  check_time(costs.overlap_ratio, "overlap_ratio");
  check_time(costs.wait_ratio, "wait_ratio");
}

}  // namespace

void check(const Cluster& cluster) {
  require(cluster.nodes >= 1, "nodes", cluster.nodes, "1 or more");
  require(cluster.ranks_per_node >= 1, "ranks_per_node", cluster.ranks_per_node, "1 or more");
  require(cluster.ranks_per_node <= kMostRanksPerNode, "ranks_per_node", cluster.ranks_per_node, "4,096 at most");
  const double ranks = static_cast<double>(cluster.nodes) * cluster.ranks_per_node;
  require(ranks <= kMostRanks, "nodes x ranks_per_node", ranks, "1,048,576 at most");
  require(cluster.ranks_per_uplink >= 0, "ranks_per_uplink", cluster.ranks_per_uplink, "0 or more");
  check_rate(cluster.link_bytes_per_s, "link_bytes_per_s");
  check_rate(cluster.uplink_bytes_per_s, "uplink_bytes_per_s");
  check_rate(cluster.network_bytes_per_s, "network_bytes_per_s");
  check_rate(cluster.storage_bytes_per_s, "storage_bytes_per_s");
  check_rate(cluster.cores, "cores");
  check_rate(cluster.copy_bytes_per_s.value_or(kNoLimit), "copy_bytes_per_s");
  check_time(cluster.link_latency_s, "link_latency_s");
  check_time(cluster.network_latency_s, "network_latency_s");
  check_time(cluster.collective_s, "collective_s");
  check_time(cluster.ramp_ratio, "ramp_ratio");
  check_rate(cluster.host_bytes_per_s, "host_bytes_per_s");
  check_costs(cluster.node_costs);
  check_costs(cluster.joined_costs);
  require(cluster.in_flight.most >= 1, "in_flight", cluster.in_flight.most, "1 or more");
  const double paired = cluster.in_flight.paired_ratio;
  require(paired >= 1 && paired <= 2, "paired_ratio", paired, "from 1 to 2");
  check_time(cluster.contention_ratio, "contention_ratio");
  check_rate(cluster.contention_ratio, "contention_ratio");
  check_fit(cluster.measured_node, "measured_node");
  check_fit(cluster.measured_joined, "measured_joined");
  for (const auto& [rank, late_s] : cluster.late_s) {
    require(rank >= 0 && rank < ranks, "a late rank", rank, "one of its ranks");
    check_time(late_s, "late_s");
  }
}

RingLink ring_link(const LinkFit& fit, int ranks) {
  if (ranks < 2)
    throw Error(fmt::format("an all-reduce among {} ranks says nothing about a link; 2 are needed", ranks));
  const double steps = 2.0 * (ranks - 1);
  return {fit.latency_s / steps, fit.bytes_per_s * steps / ranks};
}

}  // namespace stash
