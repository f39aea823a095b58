#pragma once

#include <span>
#include <string>
#include <vector>

#include "stash/share/allocate.h"

namespace stash {

struct PlannedJob {
  std::string name;
  int ranks = 1;
  int workers = 0;  // of all its ranks here
  int even_workers = 0;
  Rate throughput;  // samples per second
  Rate even_throughput;
  Rate ceiling;
  bool operator==(const PlannedJob&) const = default;
};

// Who gets how many workers, and what that brings over an even split.
struct SharingPlan {
  Objective objective = Objective::throughput;
  Resources resources;
  std::vector<PlannedJob> jobs;
  double gain_ratio = 0;  // mean over jobs of the rate over that of the even split, less 1
  double gain_low_ratio = 0;
  double gain_high_ratio = 0;
  int idle_cores = 0;
  std::vector<std::string> assumptions;
};

SharingPlan plan_sharing(std::span<const SupplyCurve> curves, const Resources& resources, Objective objective);

}  // namespace stash
