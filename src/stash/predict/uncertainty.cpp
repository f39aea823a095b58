#include "stash/predict/uncertainty.h"

#include <algorithm>
#include <cmath>

#include "stash/predict/simulate.h"

namespace stash {
namespace {

StepJob with_compute(StepJob job, double ratio) {
  for (StepLayer& layer : job.layers) {
    layer.forward_s *= ratio;
    layer.backward_s *= ratio;
  }
  job.optimizer_s *= ratio;
  job.overhead_s *= ratio;
  return job;
}

LinkFit slower(LinkFit fit, double ratio) {
  fit.bytes_per_s /= ratio;
  fit.latency_s *= ratio;
  return fit;
}

Cluster with_links(Cluster cluster, double ratio) {
  cluster.link_bytes_per_s /= ratio;
  cluster.uplink_bytes_per_s /= ratio;
  cluster.host_bytes_per_s /= ratio;
  if (cluster.copy_bytes_per_s) *cluster.copy_bytes_per_s /= ratio;
  if (cluster.measured_node) cluster.measured_node = slower(*cluster.measured_node, ratio);
  return cluster;
}

Cluster with_network(Cluster cluster, double ratio) {
  cluster.network_bytes_per_s /= ratio;
  if (cluster.measured_joined) cluster.measured_joined = slower(*cluster.measured_joined, ratio);
  return cluster;
}

Cluster with_overlap(Cluster cluster, double ratio) {
  cluster.node_costs.overlap_ratio *= ratio;
  cluster.joined_costs.overlap_ratio *= ratio;
  return cluster;
}

// How a program is made shows in all that ranks cost each other at once: one that loses little to waiting loses little
// to overlapping too. At best nothing is lost to waiting.
Cluster as_well_made(Cluster cluster, const Uncertainty& uncertainty) {
  const double less = uncertainty.waits_more;
  cluster.contention_ratio = std::max(1.0, cluster.contention_ratio - less);
  for (SideCosts* costs : {&cluster.node_costs, &cluster.joined_costs}) {
    costs->wait_ratio = std::max(0.0, costs->wait_ratio - less);
  }
  return with_overlap(cluster, 1 / uncertainty.overlap_ratio);
}

Cluster as_badly_made(Cluster cluster, const Uncertainty& uncertainty) {
  cluster.contention_ratio += uncertainty.waits_more;
  return with_overlap(cluster, uncertainty.overlap_ratio);
}

StepJob with_decoding(StepJob job, double ratio) {
  if (job.input) job.input->sample_cpu_s *= ratio;
  return job;
}

Cluster with_storage(Cluster cluster, double ratio) {
  cluster.storage_bytes_per_s /= ratio;
  return cluster;
}

class Intervals {
 public:
  explicit Intervals(Ledger ledger) : ledger_(std::move(ledger)) {}

  void add(const Ledger& varied) {
    step_.add(varied.step.s - ledger_.step.s);
    for (const Part part : kParts) {
      if (ledger_[part] && varied[part]) parts_[static_cast<std::size_t>(part)].add(varied[part]->s - ledger_[part]->s);
    }
    for (const auto& [condition, time] : varied.step_by_condition) {
      conditions_[condition].add(time.s - ledger_.step_by_condition.at(condition).s);
    }
  }

  Ledger filled() {
    ledger_.step = step_.around(ledger_.step.s);
    for (const Part part : kParts) {
      if (ledger_[part]) ledger_[part] = parts_[static_cast<std::size_t>(part)].around(ledger_[part]->s);
    }
    for (auto& [condition, time] : ledger_.step_by_condition) time = conditions_[condition].around(time.s);
    return std::move(ledger_);
  }

 private:
  Ledger ledger_;
  Spread step_;
  std::array<Spread, kParts.size()> parts_;
  std::map<Condition, Spread> conditions_;
};

}  // namespace

Estimate Spread::around(double s) const { return {s, s - std::sqrt(below), s + std::sqrt(above)}; }

void vary(const StepJob& job, const Cluster& cluster, const Uncertainty& uncertainty,
          const std::function<void(const StepJob&, const Cluster&)>& visit) {
  for (const double ratio : {uncertainty.compute_low_ratio, uncertainty.compute_high_ratio}) {
    if (ratio != 1) visit(with_compute(job, ratio), cluster);
  }
  const auto vary_both_ways = [&](double ratio, Cluster (*with)(Cluster, double)) {
    if (ratio == 1) return;
    visit(job, with(cluster, ratio));
    visit(job, with(cluster, 1 / ratio));
  };
  if (cluster.ranks_per_node > 1 || cluster.copy_bytes_per_s) vary_both_ways(uncertainty.links_ratio, with_links);
  if (cluster.nodes > 1) vary_both_ways(uncertainty.network_ratio, with_network);
  const bool programs_differ = uncertainty.overlap_ratio != 1 || uncertainty.waits_more > 0;
  if (cluster.nodes * cluster.ranks_per_node > 1 && programs_differ) {
    visit(job, as_well_made(cluster, uncertainty));
    visit(job, as_badly_made(cluster, uncertainty));
  }
  if (uncertainty.input_ratio != 1 && job.input) {
    for (const double ratio : {uncertainty.input_ratio, 1 / uncertainty.input_ratio}) {
      visit(with_decoding(job, ratio), cluster);
      visit(job, with_storage(cluster, ratio));
    }
  }
}

Ledger simulate_with_intervals(const StepJob& job, const Cluster& cluster, const Uncertainty& uncertainty) {
  Intervals intervals(simulate_ledger(job, cluster));
  vary(job, cluster, uncertainty, [&](const StepJob& varied_job, const Cluster& varied_cluster) {
    intervals.add(simulate_ledger(varied_job, varied_cluster));
  });
  return intervals.filled();
}

}  // namespace stash
