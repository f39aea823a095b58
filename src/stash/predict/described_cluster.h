#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stash/catalog/instance.h"
#include "stash/catalog/link_rates.h"
#include "stash/predict/cluster.h"
#include "stash/predict/predict_job.h"
#include "stash/predict/what_if.h"

namespace stash {

// Where a rate comes from, the surest first: measured here, asked for, published for this machine, fitted to
// measurements of its kind, or a data sheet's.
enum class RateEvidence { measured, given, published, fitted, data_sheet };
std::string_view to_string(RateEvidence evidence);

// A rate that collectives reach, and how far it may be off.
struct ReachedRate {
  std::string what;  // "GPU links", "network"
  double bytes_per_s = 0;
  RateEvidence evidence = RateEvidence::data_sheet;
  std::string source;  // a sentence without a full stop
  double spread = 0;   // standard deviation of its logarithm
};

// A machine for the simulator, with what had to be assumed of it.
struct DescribedCluster {
  Cluster cluster;
  std::optional<ReachedRate> links;    // among the GPUs of a node; nullopt: there is one
  std::optional<ReachedRate> network;  // among nodes; nullopt: there is one, or nothing is known
  std::optional<double> cache_bytes;  // of a node's memory, for the data set
  bool storage_is_known = true;       // false: nothing can be said of `fetch`
  bool is_measured = false;           // figures are those of the machine itself
  bool contention_is_known = false;   // false: nothing can be said of `contention`
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
