#include "stash/plan/gpt_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/predict/described_cluster.h"

namespace stash {

GptNodes gpt_nodes(const Instance& instance, int nodes, int gpus_per_node, const WhatIf& what_if, bool joins_others) {
  const Gpu* gpu = known_gpu(instance);
  if (gpu == nullptr) {
    throw Error(fmt::format("{}: the rates of its GPU ({}) are not known", instance.name,
                            instance.gpu.empty() ? "none" : instance.gpu));
  }
  DescribedCluster described =
      describe_cluster(instance, joins_others ? std::max(2, nodes) : nodes, gpus_per_node, what_if);
  described.cluster.nodes = nodes;
  if (!described.network_is_known) {
    throw Error(fmt::format("{}: the rate of its network is not known: give --network 10Gbit/s", instance.name));
  }
  GptNodes made{.name = instance.name, .gpu_name = gpu->name, .gpu = gpu, .nodes = nodes, .per_node = gpus_per_node};
  made.memory_bytes = static_cast<double>(gpu_memory_bytes(instance).value_or(0));
  made.cluster = described.cluster;
  made.usd_per_h = instance.usd_per_h.value_or(0) * nodes;
  return made;
}

}  // namespace stash
