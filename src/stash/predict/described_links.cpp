#include "stash/predict/described_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stash/catalog/topology/ring_search.h"

namespace stash {
namespace {

// Where the catalogue knows a kind of link and no rate.
constexpr double kPcieBytes_per_s = 12.5e9;     // generation 3, 16 lanes
constexpr double kNvlinkBytes_per_s = 150e9;    // a V100's six
constexpr double kNvswitchBytes_per_s = 300e9;  // an A100's twelve

constexpr int kServerSlots = 4;  // PCIe slots that host memory keeps up with, copying in and out
// Gradients that one virtual CPU adds up, with the update and the copies of it; the fitted share says what is reached.
constexpr double kSummedBytes_per_s = 0.5e9;

// One TCP connection gets no more than this between machines of AWS ("network bandwidth of EC2 instances"), and NCCL
// opened one in the published runs. Parameter servers open many.
constexpr double kAwsConnectionBytes_per_s = 5e9 / 8;

// Logarithms. What was asked for is taken as it is, but a link does not carry the same in every minute; wiring that
// nobody published may be anything.
constexpr double kGivenSpread = 0.05;
constexpr double kUnknownWiringSpread = 0.4;

// A data-sheet rate and what carries it.
struct WiredRate {
  Transport transport = Transport::pcie;
  double bytes_per_s = 0;
  bool is_published = false;  // how the machine is wired
};

double typical_rate(GpuLinks links) {
  switch (links) {
    case GpuLinks::nvlink:
      return kNvlinkBytes_per_s;
    case GpuLinks::nvswitch:
      return kNvswitchBytes_per_s;
    default:
      return kPcieBytes_per_s;
  }
}

Transport transport_of(GpuLinks links) {
  switch (links) {
    case GpuLinks::nvlink:
      return Transport::nvlink;
    case GpuLinks::nvswitch:
      return Transport::nvswitch;
    default:
      return Transport::pcie;
  }
}

Transport transport_of(const NodeRings& rings, bool all_gpus) {
  switch (rings.kind) {
    case RingPath::nvswitch:
      return rings.nvls && all_gpus ? Transport::nvls : Transport::nvswitch;
    case RingPath::nvlink:
      return Transport::nvlink;
    default:
      return rings.peer_to_peer ? Transport::pcie : Transport::host;
  }
}

WiredRate wired_rate(DescribedCluster& described, const Instance& instance, const WhatIf& what_if) {
  const int ranks = described.cluster.ranks_per_node;
  const Topology* topology = what_if.links ? nullptr : topology_of(instance);
  if (topology != nullptr && ranks <= static_cast<int>(topology->gpus.size())) {
    const NodeRings rings =
        what_if.placement.empty() ? find_rings(*topology, ranks) : find_rings(*topology, what_if.placement);
    const bool all = ranks == static_cast<int>(topology->gpus.size());
    return {transport_of(rings, all), rings.ring_bytes_per_s, true};
  }
  if (!what_if.placement.empty()) {
    described.assumptions.push_back("how its GPUs are wired is not published: --set placement changes nothing");
  }
  const bool as_catalogued = !what_if.links || what_if.links == instance.links;
  const GpuLinks kind = what_if.links.value_or(instance.links.value_or(GpuLinks::pcie));
  const double known = as_catalogued && instance.link_bytes_per_s ? *instance.link_bytes_per_s : typical_rate(kind);
  if (as_catalogued && instance.gpus_per_uplink && instance.uplink_bytes_per_s) {
    described.cluster.ranks_per_uplink = *instance.gpus_per_uplink;
    described.cluster.uplink_bytes_per_s = *instance.uplink_bytes_per_s;
  }
  if (ranks > 1 && !instance.links && !what_if.links) {
    described.assumptions.push_back("how its GPUs are linked is not known: PCIe 3 is assumed");
  }
  return {transport_of(kind), known, false};
}

RateEvidence evidence_of(const LinkRateRow& row, bool is_published) {
  if (!row.machine.empty()) return RateEvidence::published;
  return is_published ? RateEvidence::fitted : RateEvidence::data_sheet;
}

std::string source_text(const LinkRateRow& row, double wired_bytes_per_s) {
  const std::string_view whose = row.machine.empty() ? "as links of this kind reach" : "as this machine reaches";
  return fmt::format("{:.0f} % of {:g} GB/s over {}, {} in {} measurements", 100 * row.rates.reached_ratio,
                     wired_bytes_per_s * 1e-9, to_string(row.transport), whose, row.rows);
}

ReachedRate reached_rate(std::string what, const LinkRateRow& row, double wired_bytes_per_s, bool is_published) {
  return {.what = std::move(what),
          .bytes_per_s = wired_bytes_per_s * row.rates.reached_ratio,
          .evidence = evidence_of(row, is_published),
          .source = source_text(row, wired_bytes_per_s),
          .spread = std::hypot(row.rates.spread, is_published ? 0 : kUnknownWiringSpread)};
}

ReachedRate given_rate(std::string what, double bytes_per_s) {
  return {std::move(what), bytes_per_s, RateEvidence::given, "as asked for with --set", kGivenSpread};
}

void set_costs(DescribedCluster& described, const LinkRates& rates) {
  Cluster& cluster = described.cluster;
  cluster.link_latency_s = rates.hop_s;
  cluster.collective_s = rates.call_s;
  cluster.ramp_ratio = rates.ramp_ratio;
  described.contention_is_known = true;
  cluster.contention_ratio = 1 + rates.contention_ratio;
  cluster.node_costs = {rates.overlap_ratio, rates.waits_ratio(cluster.ranks_per_node)};
}

// Ranks cost each other no less on GPUs that are badly placed than on the first ones of the same machine.
LinkRates with_costs_of_first(LinkRates placed, const LinkRates& first) {
  placed.overlap_ratio = std::max(placed.overlap_ratio, first.overlap_ratio);
  placed.contention_ratio = std::max(placed.contention_ratio, first.contention_ratio);
  placed.wait_ratio = std::max(placed.wait_ratio, first.wait_ratio);
  placed.wait_doubling_ratio = std::max(placed.wait_doubling_ratio, first.wait_doubling_ratio);
  return placed;
}

// Of all its GPUs' cards; the rate that the catalogue has, for as long as it takes or in bursts.
std::optional<double> catalogued_network(DescribedCluster& described, const Instance& instance) {
  if (instance.network_bytes_per_s) return instance.network_bytes_per_s;
  if (instance.network_burst_bytes_per_s) {
    described.assumptions.push_back(fmt::format("its network is known as a burst only, {:g} Gbit/s: taken as lasting",
                                                *instance.network_burst_bytes_per_s * 8e-9));
  }
  return instance.network_burst_bytes_per_s;
}

// What the host takes in and gives out: its slots, and what its CPUs add up.
double server_rate(double slot_bytes_per_s, const Instance& instance) {
  const double slots = kServerSlots * slot_bytes_per_s;
  return instance.vcpus ? std::min(slots, *instance.vcpus * kSummedBytes_per_s) : slots;
}

// All ranks of a node copy to and from its host memory, or through it and the slot of one GPU.
void describe_host_sums(DescribedCluster& described, const Instance& instance, const LinkRateLookup& rates) {
  Cluster& cluster = described.cluster;
  const bool serves = cluster.all_reduce == AllReduce::server;
  const LinkRateRow row = rates(serves ? Transport::server : Transport::gather, instance.name);
  const double slot = instance.host_bytes_per_s.value_or(kPcieBytes_per_s);
  const double wired = serves ? server_rate(slot, instance) : slot;
  described.links = reached_rate("host memory", row, wired, instance.host_bytes_per_s.has_value());
  cluster.host_bytes_per_s = described.links->bytes_per_s;
  set_costs(described, row.rates);
}

double usable_network(double wired_bytes_per_s, Transport transport) {
  return transport == Transport::ena ? std::min(wired_bytes_per_s, kAwsConnectionBytes_per_s) : wired_bytes_per_s;
}

}  // namespace

void describe_links(DescribedCluster& described, const Instance& instance, const WhatIf& what_if,
                    const LinkRateLookup& rates) {
  Cluster& cluster = described.cluster;
  if (cluster.ranks_per_node == 1) return;
  if (what_if.all_reduce == AllReduce::server || what_if.all_reduce == AllReduce::gather) {
    return describe_host_sums(described, instance, rates);
  }
  const WiredRate wired = wired_rate(described, instance, what_if);
  const LinkRateRow row = rates(wired.transport, instance.name);
  described.links = what_if.link_bytes_per_s ? given_rate("GPU links", *what_if.link_bytes_per_s)
                                             : reached_rate("GPU links", row, wired.bytes_per_s, wired.is_published);
  cluster.link_bytes_per_s = described.links->bytes_per_s;
  cluster.uplink_bytes_per_s *= row.rates.reached_ratio;
  cluster.switch_reduces = wired.transport == Transport::nvls;
  if (what_if.placement.empty()) return set_costs(described, row.rates);
  WhatIf first_gpus = what_if;
  first_gpus.placement.clear();
  const WiredRate first = wired_rate(described, instance, first_gpus);
  set_costs(described, with_costs_of_first(row.rates, rates(first.transport, instance.name).rates));
}

void describe_network(DescribedCluster& described, const Instance& instance, const WhatIf& what_if,
                      const LinkRateLookup& rates) {
  Cluster& cluster = described.cluster;
  if (cluster.nodes == 1) return;
  const bool serves = cluster.all_reduce == AllReduce::server;
  const LinkRateRow row = rates(serves ? Transport::grpc : network_transport(instance), instance.name);
  if (what_if.network_bytes_per_s) {
    described.network = given_rate("network", *what_if.network_bytes_per_s);
  } else if (const std::optional<double> wired = catalogued_network(described, instance)) {
    described.network = reached_rate("network", row, usable_network(*wired, row.transport), true);
  } else {
    described.network_is_known = false;
    return;
  }
  cluster.network_bytes_per_s = described.network->bytes_per_s;
  cluster.network_latency_s = instance.network_latency_s.value_or(row.rates.hop_s);
  cluster.collective_s = std::max(cluster.collective_s, row.rates.call_s);
  cluster.ramp_ratio = std::max(cluster.ramp_ratio, row.rates.ramp_ratio);
  cluster.joined_costs = {row.rates.overlap_ratio,
                          cluster.node_costs.wait_ratio + row.rates.waits_ratio(cluster.nodes)};
}

}  // namespace stash
