#pragma once

#include <optional>
#include <string>

namespace stash {

// Where a job joins a pool, and as what.
struct PoolSeat {
  std::string socket;   // path
  std::string name;     // of the job
  std::string job;      // key, the same for all its ranks
  int min_workers = 1;  // of each rank
  std::optional<int> max_workers{};
  std::optional<double> samples{};  // of a script, over all its ranks, until it ends; built-in jobs know
};

}  // namespace stash
