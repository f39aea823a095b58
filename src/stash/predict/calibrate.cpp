#include "stash/predict/calibrate.h"

#include <algorithm>
#include <cmath>

#include "stash/predict/simulate.h"

namespace stash {
namespace {

constexpr double kMostScale = 32;  // up or down; more is no matter of a link
constexpr int kHalvings = 30;

LinkFit scaled(LinkFit fit, double scale) {
  fit.latency_s /= scale;
  fit.bytes_per_s *= scale;
  return fit;
}

// How many times as quick as it was timed a link must be for the stall to be the measured one; the stall falls as the
// link gets quicker.
template <class Simulated>
double scale_for(double stall_s, Simulated&& simulated_s) {
  double slow = 1 / kMostScale, quick = kMostScale;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(slow * quick);
    (simulated_s(middle) > stall_s ? slow : quick) = middle;
  }
  return quick;
}

void calibrate(Cluster& cluster, std::optional<LinkFit>& link, const StepJob& job, Condition with, Condition without,
               double stall_s) {
  const LinkFit as_timed = *link;
  const double scale = scale_for(stall_s, [&](double tried) {
    link = scaled(as_timed, tried);
    return simulate_step_s(job, cluster, with) - simulate_step_s(job, cluster, without);
  });
  link = scaled(as_timed, scale);
}

void calibrate_hop(Cluster& cluster, double& latency_s, double& bytes_per_s, const StepJob& job, Condition with,
                   Condition without, double stall_s) {
  const RingLink as_timed{latency_s, bytes_per_s};
  const auto set = [&](double scale) {
    latency_s = as_timed.latency_s / scale;
    bytes_per_s = as_timed.bytes_per_s * scale;
  };
  set(scale_for(stall_s, [&](double tried) {
    set(tried);
    return simulate_step_s(job, cluster, with) - simulate_step_s(job, cluster, without);
  }));
}

}  // namespace

void calibrate_links(Cluster& cluster, const StepJob& job, const Ledger& measured) {
  if (cluster.measured_node && measured[Part::interconnect]) {
    calibrate(cluster, cluster.measured_node, job, Condition::node, Condition::apart,
              std::max(0.0, measured[Part::interconnect]->s));
  }
  if (cluster.measured_joined && measured[Part::network]) {
    calibrate(cluster, cluster.measured_joined, job, Condition::joined, Condition::node,
              std::max(0.0, measured[Part::network]->s));
  }
}

void calibrate_hops(Cluster& cluster, const StepJob& job, const Ledger& measured) {
  if (std::isfinite(cluster.link_bytes_per_s) && measured[Part::interconnect]) {
    calibrate_hop(cluster, cluster.link_latency_s, cluster.link_bytes_per_s, job, Condition::node, Condition::apart,
                  std::max(0.0, measured[Part::interconnect]->s));
  }
  if (std::isfinite(cluster.network_bytes_per_s) && measured[Part::network]) {
    calibrate_hop(cluster, cluster.network_latency_s, cluster.network_bytes_per_s, job, Condition::joined,
                  Condition::node, std::max(0.0, measured[Part::network]->s));
  }
}

void calibrate_copies(Cluster& cluster, const StepJob& job, const Ledger& measured) {
  const std::optional<Estimate>& copy = measured[Part::copy];
  if (copy && copy->s > 0) cluster.copy_bytes_per_s = job.batch * job.sample_device_bytes / copy->s;
}

}  // namespace stash
