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

// The stall falls as the link gets quicker.
void calibrate(Cluster& cluster, std::optional<LinkFit>& link, const StepJob& job, Condition with, Condition without,
               double stall_s) {
  const LinkFit as_timed = *link;
  const auto simulated_s = [&](double scale) {
    link = scaled(as_timed, scale);
    return simulate_step_s(job, cluster, with) - simulate_step_s(job, cluster, without);
  };
  double slow = 1 / kMostScale, quick = kMostScale;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(slow * quick);
    (simulated_s(middle) > stall_s ? slow : quick) = middle;
  }
  link = scaled(as_timed, quick);
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

void calibrate_copies(Cluster& cluster, const StepJob& job, const Ledger& measured) {
  const std::optional<Estimate>& copy = measured[Part::copy];
  if (copy && copy->s > 0) cluster.copy_bytes_per_s = job.batch * job.sample_device_bytes / copy->s;
}

}  // namespace stash
