#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stash/share/allocate.h"
#include "stash/share/pool/pool_state.h"

namespace stash {

// A job as the pool decides on it.
struct PoolSeatFacts {
  SupplyCurve curve;       // where it is not known: only ranks and limits count
  bool is_known = false;   // else it gets what an even split gives it
  bool is_silent = false;  // keeps its least
  int workers = 0;         // of each rank, now; 0: it is new
  double batch_s = 0;      // of a rank
};

// Workers of each rank of each job.
struct PoolSplit {
  std::vector<int> workers;
  double gain_ratio = 0;  // predicted mean over the known jobs of the rate, over that with an even split, less 1
};

// Pure functions. Where the jobs' least workers are more than there are, each has its least.
PoolSplit split_by_need(std::span<const PoolSeatFacts> jobs, int workers, Objective objective);
std::vector<int> split_evenly(std::span<const PoolSeatFacts> jobs, int workers);

// The present split, but `from` gives half of its workers, one after the other, to those that take them.
std::vector<int> half_given(std::span<const PoolSeatFacts> jobs, std::size_t from, const std::vector<bool>& takes);

// Whether it pays to change from the present workers to `next`: the predicted gain is above what measuring can tell
// apart, and over `horizon_s` it brings more than the batches that changing may cost.
bool is_worth_changing(std::span<const PoolSeatFacts> jobs, std::span<const int> next, double horizon_s,
                       Objective objective);

}  // namespace stash
