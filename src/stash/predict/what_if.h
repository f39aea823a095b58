#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stash/catalog/gpu.h"
#include "stash/catalog/instance.h"
#include "stash/predict/cluster.h"

namespace stash {

// What is changed of a machine or a job before it is simulated: `--set network=100Gbit/s --set workers=16`.
struct WhatIf {
  std::optional<double> network_bytes_per_s;
  std::optional<double> storage_bytes_per_s;  // of a node
  std::optional<double> cache_bytes;          // of a node's memory, for the data set
  std::optional<int> workers;                 // of a GPU
  std::optional<double> cores;                // of a node
  std::optional<std::int64_t> bucket_bytes;   // 0: one collective for each gradient
  std::optional<int> blocking_calls;          // all-reduces of single numbers that every step waits for
  std::optional<AllReduce> all_reduce;        // how gradients are summed; nullopt: as NCCL does
  std::optional<GpuLinks> links;
  std::optional<double> link_bytes_per_s;  // of a GPU
  std::optional<int> batch;                // samples of a GPU in a pass
  std::optional<DType> dtype;
  std::optional<int> accumulation;  // passes of a step
  std::optional<int> ranks;         // of a node, one for each GPU
  std::vector<int> placement;       // GPUs of each node, one for each rank; empty: the first ones

  bool operator==(const WhatIf&) const = default;
  bool empty() const { return *this == WhatIf{}; }
};

// One `key=value`, put into `what_if`. UsageError names the nearest key, or shows a valid value.
void set(WhatIf& what_if, std::string_view text);

// All of them. UsageError names a key that is given twice.
WhatIf what_if_of(std::span<const std::string> texts);

}  // namespace stash
