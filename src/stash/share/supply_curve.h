#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace stash {

// Samples per second with a 95 % interval.
struct Rate {
  double per_s = 0;
  double low_per_s = 0;
  double high_per_s = 0;
  bool operator==(const Rate&) const = default;
};
Rate scaled(const Rate& rate, double ratio);

inline constexpr double kAllStorage = std::numeric_limits<double>::infinity();

// How fast a job trains with so many loader workers: over all its ranks on this machine, of which the slowest counts.
struct SupplyCurve {
  std::string name;
  int ranks = 1;                         // on this machine; each has the same number of workers
  int min_workers = 1;                   // of each rank
  std::vector<Rate> by_workers;          // by_workers[k - 1]: k workers on each rank, all the storage they ask for
  Rate ceiling;                          // when its input is always ready
  double storage_bytes_per_sample = 0;   // that the page cache does not answer
  std::optional<double> samples_left{};  // until it ends
  std::vector<std::string> assumptions{};

  int max_workers() const { return static_cast<int>(by_workers.size()); }  // of each rank
};

// With `workers` on each rank, from min_workers to max_workers, and this much of the storage.
Rate rate_of(const SupplyCurve& curve, int workers, double storage_bytes_per_s = kAllStorage);

// What a job reads when nothing but its workers holds it back.
double storage_demand_bytes_per_s(const SupplyCurve& curve, int workers);

// Error names the job whose curve is empty, falls below 0 or is not a number.
void check(const SupplyCurve& curve);

}  // namespace stash
