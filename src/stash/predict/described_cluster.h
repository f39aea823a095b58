#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stash/catalog/instance.h"
#include "stash/catalog/link_rates.h"
#include "stash/predict/cluster.h"
#include "stash/predict/predict_job.h"
#include "stash/predict/reached_rate.h"
#include "stash/predict/what_if.h"

namespace stash {

// A machine for the simulator, with what had to be assumed of it.
struct DescribedCluster {
  Cluster cluster;
  std::optional<ReachedRate> links;    // among the GPUs of a node; nullopt: there is one
  std::optional<ReachedRate> network;  // among nodes; nullopt: there is one, or nothing is known
  std::optional<double> cache_bytes;   // of a node's memory, for the data set
  bool storage_is_known = true;        // false: nothing can be said of `fetch`
  bool is_measured = false;            // figures are those of the machine itself
  bool contention_is_known = false;    // false: nothing can be said of `contention`
  bool network_is_known = true;
  std::vector<std::string> assumptions;
};

// The rates of a transport on a machine; the fit of these rates tries others than the table's.
using LinkRateLookup = std::function<LinkRateRow(Transport, std::string_view machine)>;

// As the catalogue has it. `gpus_per_node` of its GPUs are used.
DescribedCluster describe_cluster(const Instance& instance, int nodes, int gpus_per_node, const WhatIf& what_if,
                                  const LinkRateLookup& rates = link_rates);

// The machine that a profile was made on, from what the profile measured.
DescribedCluster measured_cluster(const MeasuredProfile& measured, const WhatIf& what_if);

}  // namespace stash
