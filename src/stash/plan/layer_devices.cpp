#include "stash/plan/layer_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/predict/all_reduce.h"
#include "stash/predict/described_cluster.h"
#include "stash/predict/scaling.h"

namespace stash {
namespace {

constexpr double kForwardAndBackward = 3;            // passes of equal work: forward, input gradient, weight gradient
constexpr double kBucketBytes = 25 * 1024.0 * 1024;  // that rates are taken at: gradients travel in such buckets

// What a sum over all ranks of a cluster gives each of them, as a rate of exchanged bytes.
double exchange_bytes_per_s(const Cluster& cluster) {
  const int ranks = cluster.nodes * cluster.ranks_per_node;
  const AllReduceChoice choice = AllReduceChoice::among_all(cluster);
  if (choice.empty()) return kNoLimit;
  return 2.0 * (ranks - 1) / ranks * kBucketBytes / choice.for_bytes(kBucketBytes).s(kBucketBytes);
}

double link_bytes_per_s(Cluster cluster) {
  cluster.nodes = 1;
  return exchange_bytes_per_s(cluster);
}

// Of a node whose GPUs send together.
double network_bytes_per_s(Cluster cluster) {
  cluster.nodes = 2;
  cluster.ranks_per_node = 1;
  return exchange_bytes_per_s(cluster);
}

class Describer {
 public:
  Describer(const LayerJob& job, const SplitNetwork& network, const WhatIf& what_if, int devices)
      : job_(job), network_(network), what_if_(what_if), each_(std::max(1, job.batch / devices)) {}

  LayerDevices run(std::span<const PlannedDevices> devices) {
    found_.as_published = true;
    for (const PlannedDevices& kind : devices) found_.kinds.push_back(describe(kind, devices.size() > 1));
    if (found_.as_published) {
      found_.assumptions.push_back(
          "operations at the devices' peak, exchanges in turn with them: as the publication counts");
    }
    return std::move(found_);
  }

 private:
  DeviceKind describe(const PlannedDevices& devices, bool several_kinds) {
    DeviceKind kind{.name = devices.name,
                    .by_machine = devices.named_by_machine,
                    .nodes = devices.nodes,
                    .per_node = devices.per_node};
    if (devices.published != nullptr) {
      describe_published(kind, *devices.published);
    } else {
      found_.as_published = false;
      describe_machine(kind, devices, several_kinds || devices.nodes > 1);
    }
    return kind;
  }

  void describe_published(DeviceKind& kind, const PublishedDevice& device) {
    kind.link_bytes_per_s = kind.network_bytes_per_s = what_if_.network_bytes_per_s.value_or(device.link_bytes_per_s);
    kind.memory_bytes = device.memory_bytes;
    for (const SplitLayer& layer : network_.layers) {
      double ops = 0;
      for (int member : layer.members) ops += job_.graph.layers[static_cast<std::size_t>(member)].cost.forward_ops;
      kind.layer_s.push_back(kForwardAndBackward * ops * job_.batch / device.ops_per_s);
    }
    assume(fmt::format("{}: {}", device.name, device.source));
  }

  void describe_machine(DeviceKind& kind, const PlannedDevices& devices, bool needs_network) {
    const Instance& machine = *devices.machine;
    if (devices.gpu == nullptr) {
      throw Error(fmt::format("{}: the rates of its GPU ({}) are not known", machine.name, machine.gpu));
    }
    const DescribedCluster described = describe_cluster(machine, 2, devices.per_node, what_if_);
    if (needs_network && !described.network_is_known) {
      throw Error(fmt::format("{}: the rate of its network is not known: give --network 10Gbit/s", machine.name));
    }
    kind.network_bytes_per_s = described.network_is_known ? network_bytes_per_s(described.cluster) : kNoLimit;
    kind.link_bytes_per_s = devices.per_node > 1 ? link_bytes_per_s(described.cluster) : kind.network_bytes_per_s;
    kind.memory_bytes = static_cast<double>(gpu_memory_bytes(machine).value_or(0));
    set_times(kind, *devices.gpu);
    if (!devices.named_by_machine) assume(fmt::format("{}: as in {}", devices.text(), machine.name));
    const bool uses_links = devices.per_node > 1;
    if (uses_links && described.links) add_rate(*described.links, devices);
    if (needs_network && described.network) add_rate(*described.network, devices);
  }

  ScaledTimes times_of(int samples, const Gpu& gpu) const {
    return job_.profile ? scaled_times(job_.graph, layers_of(*job_.profile), samples, job_.dtype, gpu)
                        : scaled_times(job_.graph, samples, job_.dtype, gpu);
  }

  static double seconds_of(const SplitLayer& layer, const ScaledTimes& times) {
    double s = 0;
    for (int member : layer.members) {
      const LayerTime& time = times.layers[static_cast<std::size_t>(member)];
      s += time.forward_s.value_or(0) + time.backward_s.value_or(0);
    }
    return s;
  }

  // A device computes its share of the batch. The line through its time at an equal share and at half of that says what
  // other shares take.
  void set_times(DeviceKind& kind, const Gpu& gpu) {
    const ScaledTimes times = times_of(each_, gpu);
    const int half = each_ / 2;
    const ScaledTimes at_half = half > 0 ? times_of(half, gpu) : ScaledTimes{};
    for (const SplitLayer& layer : network_.layers) {
      const double s = seconds_of(layer, times);
      const double slope_s = half > 0 ? (s - seconds_of(layer, at_half)) / (each_ - half) : s / each_;
      const double fixed_s = std::clamp(s - slope_s * each_, 0.0, s);
      kind.fixed_s.push_back(fixed_s);
      kind.layer_s.push_back((s - fixed_s) * job_.batch / each_);
    }
    kind.optimizer_s = times.optimizer_s + times.overhead_s;
    found_.compute_low_ratio = std::min(found_.compute_low_ratio, times.low_ratio);
    found_.compute_high_ratio = std::max(found_.compute_high_ratio, times.high_ratio);
    for (const std::string& sentence : times.assumptions) assume(sentence);
  }

  void add_rate(const ReachedRate& rate, const PlannedDevices& devices) {
    found_.links_ratio = std::max(found_.links_ratio, rate.uncertainty_ratio());
    assume(fmt::format("{}, {}", devices.name, sentence_of(rate)));
  }

  void assume(std::string sentence) {
    if (std::ranges::find(found_.assumptions, sentence) == found_.assumptions.end()) {
      found_.assumptions.push_back(std::move(sentence));
    }
  }

  const LayerJob& job_;
  const SplitNetwork& network_;
  const WhatIf& what_if_;
  int each_;  // samples of a device
  LayerDevices found_;
};

}  // namespace

LayerDevices layer_devices(std::span<const PlannedDevices> devices, const LayerJob& job, const SplitNetwork& network,
                           const WhatIf& what_if) {
  int all = 0;
  for (const PlannedDevices& kind : devices) all += kind.count();
  return Describer(job, network, what_if, all).run(devices);
}

}  // namespace stash
