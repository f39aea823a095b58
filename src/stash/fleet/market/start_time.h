#pragma once

#include <string_view>

namespace stash {

// A duration that varies: log-normal, by its median and its 95th percentile; equal, or both 0: it does not vary.
struct VaryingTime {
  double median_s = 0;
  double p95_s = 0;
};

// From the order of a machine to its first answer.
struct StartTime {
  VaryingTime machine{};  // until it runs
  VaryingTime image{};    // drivers, container
  VaryingTime weights{};
  VaryingTime warmup{};

  double median_s() const { return machine.median_s + image.median_s + weights.median_s + warmup.median_s; }
};

}  // namespace stash
