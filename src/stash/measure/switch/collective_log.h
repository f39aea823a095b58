#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/core/condition.h"
#include "stash/core/profile.h"

namespace stash {

// Counts and times of collectives by process group, condition, kind and size. Recording neither locks nor allocates.
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
  // Where collectives are recorded: under a condition; nullopt: apart from all, for its variants.
  using Shelf = std::optional<Condition>;
  // What follows is recorded there; `enabled` false: counted nowhere (warm-up).
  void select(Shelf shelf, bool enabled);
  // When a collective was issued; a limited number since select() is kept.
  void arrive(std::int64_t at_ns);
  std::vector<double> arrivals_s() const;
  // The place for a collective that is issued now; null when nothing is recorded or the table is full.
  Entry* entry(int group, int op, std::int64_t bytes);
  double total_s(Shelf shelf) const;  // issue to completion, summed
  std::int64_t count() const;         // under all conditions
  // Process groups have numbers, those beyond kMostGroups one together. Several may have one name.
  static constexpr int kMostGroups = 255;
  void name_group(int group, std::string name);
  const std::vector<std::string>& group_names() const { return names_; }  // by number
  std::string_view group_name(int group) const;                           // empty: it has none
  struct Sum {
    std::int64_t count = 0;
    double s = 0;
  };
  Sum sum_of(std::string_view group) const;  // under all conditions
  // `name_of` translates the op number.
  std::vector<CollectiveSummary> summary(int rank, const char* (*name_of)(int op)) const;

 private:
  static constexpr std::size_t kEntries = 512;  // distinct kinds and sizes per condition; a model has tens
  using Table = std::array<Entry, kEntries>;
  static constexpr std::size_t kTables = kConditions.size() + 1;  // the last one for variants
  static std::size_t table_of(Shelf shelf) { return shelf ? static_cast<std::size_t>(*shelf) : kTables - 1; }
  std::unique_ptr<std::array<Table, kTables>> tables_;
  static constexpr std::size_t kArrivals = 512;
  std::array<std::atomic<std::int64_t>, kArrivals> arrivals_ns_{};
  std::atomic<std::size_t> arrived_{0};
  std::atomic<int> selected_{-1};
  std::vector<std::string> names_;
};

}  // namespace stash
