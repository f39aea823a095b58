#include "stash/predict/described_cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/units.h"
#include "stash/predict/described_links.h"

namespace stash {
namespace {

constexpr double kHostCopyRatio = 0.9;   // of a PCIe slot's usable rate, that pinned copies reach
constexpr double kCoresPerVcpu = 0.625;  // two threads of a core decode as much as 1.25 cores
constexpr double kCacheRatio = 0.8;      // of a node's memory; the rest is the job's and the system's

void describe_host(DescribedCluster& described, const Instance& instance, const WhatIf& what_if) {
  Cluster& cluster = described.cluster;
  if (instance.host_bytes_per_s) cluster.copy_bytes_per_s = *instance.host_bytes_per_s * kHostCopyRatio;
  if (what_if.cores) {
    cluster.cores = *what_if.cores;
  } else if (instance.vcpus) {
    cluster.cores = std::max(1.0, *instance.vcpus * kCoresPerVcpu);
  } else {
    described.assumptions.push_back("its cores are not known: decoding is taken to keep up");
  }
  described.cache_bytes = what_if.cache_bytes;
  if (!described.cache_bytes && instance.memory_bytes) {
    described.cache_bytes = static_cast<double>(*instance.memory_bytes) * kCacheRatio;
  }
}

void describe_storage(DescribedCluster& described, const Instance& instance, const WhatIf& what_if) {
  Cluster& cluster = described.cluster;
  if (what_if.storage_bytes_per_s) {
    cluster.storage_bytes_per_s = *what_if.storage_bytes_per_s;
  } else if (instance.storage_bytes_per_s) {
    cluster.storage_bytes_per_s = *instance.storage_bytes_per_s;
  } else if (instance.storage_burst_bytes_per_s) {
    cluster.storage_bytes_per_s = *instance.storage_burst_bytes_per_s;
    described.assumptions.push_back(fmt::format("its storage rate is known as a burst only, {}/s: taken as lasting",
                                                format_bytes(cluster.storage_bytes_per_s)));
  } else {
    described.storage_is_known = false;
  }
}

// All-reduces of one kind, from the profile's sweep.
std::optional<LinkFit> all_reduce_fit(const Profile& profile, std::string_view scope) {
  std::vector<LinkTime> rows;
  for (const LinkTime& row : profile.links) {
    if (row.scope == scope && row.op == "allreduce" && (rows.empty() || row.node == rows.front().node)) {
      rows.push_back(row);
    }
  }
  return fit_link(rows);
}

// The longest injected delay of ranks whose number is a multiple of `every`: a late rank is no contention.
double injected_late_s(const Injection& inject, int every) {
  double latest_s = 0;
  for (const auto& [rank, late_s] : inject.rank_delay_s) {
    if (rank % every == 0) latest_s = std::max(latest_s, late_s);
  }
  return latest_s;
}

// What a rank sends in a ring of n ranks for so many bytes.
double wire_bytes(const CollectiveSummary& row, int n) {
  const double bytes = static_cast<double>(row.bytes) * (n - 1) / n;
  return row.op == "allreduce" ? 2 * bytes : bytes;
}

int ranks_of(const Profile& profile, const CollectiveSummary& row) {
  const auto group = std::ranges::find(profile.groups, row.group, &CommGroup::name);
  return group == profile.groups.end() ? profile.job.ranks : group->ranks;
}

// A script's links are not timed by themselves: the rate at which the collectives that move most bytes ended at best.
std::optional<double> logged_rate(const Profile& profile, bool between_nodes) {
  double most_bytes = 0;
  std::optional<double> rate;
  for (const CollectiveSummary& row : profile.collectives) {
    const int ranks = ranks_of(profile, row);
    const bool is_switched_off = row.condition == Condition::solo || row.condition == Condition::apart;
    if (is_switched_off || (row.condition == Condition::node) == between_nodes || ranks < 2 || !(row.min_s > 0))
      continue;
    const double sent = wire_bytes(row, ranks), all = sent * static_cast<double>(row.count);
    if (all > most_bytes) most_bytes = all, rate = sent / row.min_s;
  }
  return rate;
}

// Of a node, while pages were cold: where storage limits the step, that is what it gives.
std::optional<double> storage_rate(const MeasuredProfile& measured) {
  const Ledger& ledger = measured.ledger;
  if (!ledger[Part::fetch] || ledger[Part::fetch]->low_s <= 0) return std::nullopt;
  double read_bytes = 0, samples = 0;
  for (const InputCounters& counters : measured.profile.inputs) {
    read_bytes += static_cast<double>(counters.read_bytes);
    samples += static_cast<double>(counters.samples);
  }
  if (samples == 0) return std::nullopt;
  const int ranks_per_node = measured.profile.job.ranks / count_nodes(measured.profile.places);
  return read_bytes / samples * measured.profile.job.batch * ranks_per_node / ledger.step.s;
}

void describe_measured_links(DescribedCluster& described, const Profile& profile, const WhatIf& what_if) {
  Cluster& cluster = described.cluster;
  const std::optional<double> injected = profile.job.inject.link_bytes_per_s;
  const std::optional<LinkFit> node = all_reduce_fit(profile, "node");
  const std::optional<LinkFit> joined = all_reduce_fit(profile, "joined");
  if (what_if.link_bytes_per_s) {
    cluster.link_bytes_per_s = *what_if.link_bytes_per_s;
  } else if (injected) {
    cluster.link_bytes_per_s = *injected;
  } else {
    cluster.measured_node = node;
  }
  if (what_if.network_bytes_per_s) {
    cluster.network_bytes_per_s = *what_if.network_bytes_per_s;
  } else if (injected) {
    cluster.network_bytes_per_s = *injected;
  } else {
    cluster.measured_joined = joined;
  }
  if (!profile.job.command.empty() && !what_if.link_bytes_per_s && !injected && !node) {
    if (const std::optional<double> rate = logged_rate(profile, false)) cluster.link_bytes_per_s = *rate;
  }
  if (!profile.job.command.empty() && cluster.nodes > 1 && !what_if.network_bytes_per_s && !injected && !joined) {
    if (const std::optional<double> rate = logged_rate(profile, true)) cluster.network_bytes_per_s = *rate;
  }
  cluster.all_reduce = AllReduce::ring;
}

}  // namespace

DescribedCluster describe_cluster(const Instance& instance, int nodes, int gpus_per_node, const WhatIf& what_if,
                                  const LinkRateLookup& rates) {
  DescribedCluster described;
  described.cluster.nodes = nodes;
  described.cluster.ranks_per_node = gpus_per_node;
  described.cluster.all_reduce = what_if.all_reduce.value_or(AllReduce::quickest);
  describe_links(described, instance, what_if, rates);
  describe_network(described, instance, what_if, rates);
  describe_host(described, instance, what_if);
  describe_storage(described, instance, what_if);
  return described;
}

DescribedCluster measured_cluster(const MeasuredProfile& measured, const WhatIf& what_if) {
  const Profile& profile = measured.profile;
  DescribedCluster described;
  described.is_measured = true;
  Cluster& cluster = described.cluster;
  cluster.nodes = count_nodes(profile.places);
  cluster.ranks_per_node = std::max(1, profile.job.ranks / cluster.nodes);
  describe_measured_links(described, profile, what_if);
  const auto& steps = measured.ledger.step_by_condition;
  if (steps.contains(Condition::solo) && steps.contains(Condition::apart)) {
    const double apart_s = steps.at(Condition::apart).s - injected_late_s(profile.job.inject, 1);
    const double solo_s = steps.at(Condition::solo).s - injected_late_s(profile.job.inject, cluster.ranks_per_node);
    if (solo_s > 0) cluster.contention_ratio = std::max(1.0, apart_s / solo_s);
    described.contention_is_known = true;
  }
  cluster.cores = what_if.cores.value_or(std::max(1, profile.machine.cores));
  described.cache_bytes = what_if.cache_bytes;
  if (!described.cache_bytes && profile.cache_bytes) described.cache_bytes = static_cast<double>(*profile.cache_bytes);
  cluster.storage_per_rank = profile.job.inject.read_bytes_per_s.has_value();
  const std::optional<double> storage =
      profile.job.inject.read_bytes_per_s ? profile.job.inject.read_bytes_per_s : storage_rate(measured);
  if (what_if.storage_bytes_per_s) {
    cluster.storage_bytes_per_s =
        *what_if.storage_bytes_per_s / (cluster.storage_per_rank ? cluster.ranks_per_node : 1);
  } else if (storage) {
    cluster.storage_bytes_per_s = *storage;
  } else {
    described.assumptions.push_back("storage kept up while it was measured: it is taken to keep up");
  }
  for (const auto& [rank, late_s] : profile.job.inject.rank_delay_s) cluster.late_s[rank] = late_s;
  return described;
}

}  // namespace stash
