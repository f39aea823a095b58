#pragma once

#include <functional>

#include "stash/core/ledger.h"
#include "stash/predict/cluster.h"
#include "stash/predict/step_job.h"

namespace stash {

// How far the figures that a prediction rests on may be off, as factors.
struct Uncertainty {
  double compute_low_ratio = 1;
  double compute_high_ratio = 1;
  double job_error_ratio = 0;  // of compute's variance: an error that the job has on every GPU
  double links_ratio = 1;      // rates inside a node may be this many times smaller or larger
  double network_ratio = 1;    // the same between nodes
  double input_ratio = 1;      // the same for storage and decoding
  double overlap_ratio = 1;    // the same for what overlapping costs
  double waits_more = 0;       // share of the computing that programs lose beyond what is expected of ranks together
};

// Shows `visit` the step and the cluster with one figure at one of its ends, for each figure that may be off.
void vary(const StepJob& job, const Cluster& cluster, const Uncertainty& uncertainty,
          const std::function<void(const StepJob&, const Cluster&)>& visit);

// Squares of what variations take away from a figure and add to it: they err apart.
struct Spread {
  double below = 0;
  double above = 0;
  void add(double difference_s) { (difference_s < 0 ? below : above) += difference_s * difference_s; }
  Estimate around(double s) const;
};

// The ledger of a step, with intervals from simulating it again with each figure at both its ends: what the figures
// change is added in quadrature, for they err apart.
Ledger simulate_with_intervals(const StepJob& job, const Cluster& cluster, const Uncertainty& uncertainty);

}  // namespace stash
