#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "stash/share/supply_curve.h"

namespace stash {

// throughput: the mean over jobs of the rate relative to the even split. fairness: the job that is furthest below its
// ceiling is as near to it as can be. makespan: the job that ends last ends as early as can be. Where several
// allocations are equally good, the one with the higher mean rate, then the one with fewer workers.
enum class Objective { throughput, fairness, makespan };
std::string_view to_string(Objective objective);
constexpr std::array<Objective, 3> every(Objective) {
  return {Objective::throughput, Objective::fairness, Objective::makespan};
}
Objective parse_objective(std::string_view name);  // UsageError names the nearest

struct Resources {
  int cores = 1;  // for loader workers
  double storage_bytes_per_s = kAllStorage;
};

inline constexpr int kMostSharedCores = 4096;
inline constexpr int kMostSharedJobs = 256;
// Storage is given out in this many equal pieces.
inline constexpr int kStorageUnits = 20;
// A worker that brings less than this share of the job's rate is left idle.
inline constexpr double kWorthwhileRatio = 0.001;

struct JobShare {
  int workers = 1;  // of each rank
  double storage_bytes_per_s = kAllStorage;
  bool operator==(const JobShare&) const = default;
};

struct Allocation {
  std::vector<JobShare> jobs;  // in the order of the curves
  int idle_cores = 0;
};

// Pure functions. UsageError: the jobs' least workers are more than the cores.
Allocation allocate(std::span<const SupplyCurve> curves, const Resources& resources, Objective objective);
Allocation even_split(std::span<const SupplyCurve> curves, const Resources& resources);

// The rate of every job under an allocation.
std::vector<Rate> rates_of(std::span<const SupplyCurve> curves, const Allocation& allocation);

// The mean over jobs of `rates` relative to `base`: 1 where nothing changed.
double mean_ratio(std::span<const Rate> rates, std::span<const Rate> base);

// Samples until the end of each job. A job that does not say has as many seconds left at its ceiling as the others have
// on average.
std::vector<double> work_left(std::span<const SupplyCurve> curves);

// What is maximised first: the mean ratio, the smallest share of a ceiling, or the inverse of the longest time left.
double objective_value(std::span<const SupplyCurve> curves, std::span<const Rate> rates, std::span<const Rate> even,
                       Objective objective);

}  // namespace stash
