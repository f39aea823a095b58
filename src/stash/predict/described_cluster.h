#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/catalog/instance.h"
#include "stash/predict/cluster.h"
#include "stash/predict/predict_job.h"
#include "stash/predict/what_if.h"

namespace stash {

// A machine for the simulator, with what had to be assumed of it.
struct DescribedCluster {
  Cluster cluster;
  std::optional<double> cache_bytes;  // of a node's memory, for the data set
  bool storage_is_known = true;       // false: nothing can be said of `fetch`
  bool is_measured = false;           // figures are those of the machine itself
  bool contention_is_known = false;   // false: nothing can be said of `contention`
  bool network_is_known = true;
  std::vector<std::string> assumptions;
};

// As the catalogue has it. `gpus_per_node` of its GPUs are used.
DescribedCluster describe_cluster(const Instance& instance, int nodes, int gpus_per_node, const WhatIf& what_if);

// The machine that a profile was made on, from what the profile measured.
DescribedCluster measured_cluster(const MeasuredProfile& measured, const WhatIf& what_if);

}  // namespace stash
