#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stash/core/condition.h"
#include "stash/core/profile.h"

namespace stash {

// Counts and times of collectives by condition, kind and size. Recording neither locks nor allocates.
class CollectiveLog {
 public:
  struct Entry {
    std::atomic<std::uint64_t> key{0};  // 0: free
    std::atomic<std::int64_t> count{0};
    std::atomic<std::int64_t> total_ns{0};
    std::atomic<std::int64_t> min_ns{INT64_MAX};
    std::atomic<std::int64_t> max_ns{0};
    void add(std::int64_t duration_ns);
  };

  CollectiveLog();
  // What follows is recorded under this condition; `enabled` false: counted nowhere (warm-up).
  void select(Condition condition, bool enabled);
  // When a collective was issued; a limited number since select() is kept.
  void arrive(std::int64_t at_ns);
  std::vector<double> arrivals_s() const;
  // The place for a collective that is issued now; null when nothing is recorded or the table is full.
  Entry* entry(int op, std::int64_t bytes);
  double total_s(Condition condition) const;  // issue to completion, summed
  std::int64_t count() const;                 // under all conditions
  // `name_of` translates the op number.
  std::vector<CollectiveSummary> summary(int rank, const char* (*name_of)(int op)) const;

 private:
  static constexpr std::size_t kEntries = 256;  // distinct kinds and sizes per condition; a model has tens
  using Table = std::array<Entry, kEntries>;
  std::unique_ptr<std::array<Table, kConditions.size()>> tables_;
  static constexpr std::size_t kArrivals = 512;
  std::array<std::atomic<std::int64_t>, kArrivals> arrivals_ns_{};
  std::atomic<std::size_t> arrived_{0};
  std::atomic<int> selected_{-1};
};

}  // namespace stash
