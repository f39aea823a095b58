#include "stash/measure/switch/collective_log.h"

#include <algorithm>

#include "stash/core/clock.h"

namespace stash {
namespace {

constexpr int kOpBits = 8, kGroupBits = 8;

// What a key says, from its low bits on: one more than the op, the group, the bytes.
std::uint64_t make_key(int group, int op, std::int64_t bytes) {
  const auto of_group = static_cast<std::uint64_t>(std::min(group, CollectiveLog::kMostGroups));
  return (static_cast<std::uint64_t>(bytes) << (kOpBits + kGroupBits)) + (of_group << kOpBits) +
         static_cast<std::uint64_t>(op) + 1;
}

int key_op(std::uint64_t key) { return static_cast<int>((key - 1) & ((1u << kOpBits) - 1)); }
std::size_t key_group(std::uint64_t key) { return (key - 1) >> kOpBits & ((1u << kGroupBits) - 1); }
std::int64_t key_bytes(std::uint64_t key) { return static_cast<std::int64_t>((key - 1) >> (kOpBits + kGroupBits)); }

void keep_smaller(std::atomic<std::int64_t>& value, std::int64_t candidate) {
  std::int64_t seen = value.load(std::memory_order_relaxed);
  while (candidate < seen && !value.compare_exchange_weak(seen, candidate, std::memory_order_relaxed)) {
  }
}

void keep_larger(std::atomic<std::int64_t>& value, std::int64_t candidate) {
  std::int64_t seen = value.load(std::memory_order_relaxed);
  while (candidate > seen && !value.compare_exchange_weak(seen, candidate, std::memory_order_relaxed)) {
  }
}

}  // namespace

void CollectiveLog::Entry::add(std::int64_t duration_ns) {
  count.fetch_add(1, std::memory_order_relaxed);
  total_ns.fetch_add(duration_ns, std::memory_order_relaxed);
  keep_smaller(min_ns, duration_ns);
  keep_larger(max_ns, duration_ns);
}

CollectiveLog::CollectiveLog() : tables_(std::make_unique<std::array<Table, kTables>>()) {}

void CollectiveLog::select(Shelf shelf, bool enabled) {
  selected_.store(enabled ? static_cast<int>(table_of(shelf)) : -1, std::memory_order_relaxed);
  if (enabled) arrived_.store(0, std::memory_order_relaxed);
}

void CollectiveLog::arrive(std::int64_t at_ns) {
  if (selected_.load(std::memory_order_relaxed) < 0) return;
  const std::size_t place = arrived_.fetch_add(1, std::memory_order_relaxed);
  if (place < kArrivals) arrivals_ns_[place].store(at_ns, std::memory_order_relaxed);
}

std::vector<double> CollectiveLog::arrivals_s() const {
  std::vector<double> times_s;
  for (std::size_t i = 0; i < std::min(arrived_.load(), kArrivals); ++i) times_s.push_back(seconds(arrivals_ns_[i]));
  return times_s;
}

CollectiveLog::Entry* CollectiveLog::entry(int group, int op, std::int64_t bytes) {
  const int selected = selected_.load(std::memory_order_relaxed);
  if (selected < 0) return nullptr;
  Table& table = (*tables_)[static_cast<std::size_t>(selected)];
  const std::uint64_t key = make_key(group, op, bytes);
  std::size_t place = (key * 0x9E3779B97F4A7C15ull) >> 55;  // the top 9 bits index the 512 entries
  for (std::size_t tried = 0; tried < kEntries; ++tried, place = (place + 1) % kEntries) {
    std::uint64_t found = table[place].key.load(std::memory_order_relaxed);
    if (found == 0 && table[place].key.compare_exchange_strong(found, key)) return &table[place];
    if (found == key) return &table[place];
  }
  return nullptr;
}

double CollectiveLog::total_s(Shelf shelf) const {
  std::int64_t sum = 0;
  for (const Entry& entry : (*tables_)[table_of(shelf)]) {
    sum += entry.total_ns.load(std::memory_order_relaxed);
  }
  return static_cast<double>(sum) * 1e-9;
}

std::int64_t CollectiveLog::count() const {
  std::int64_t sum = 0;
  for (const Table& table : *tables_) {
    for (const Entry& entry : table) sum += entry.count.load(std::memory_order_relaxed);
  }
  return sum;
}

void CollectiveLog::name_group(int group, std::string name) {
  const auto place = static_cast<std::size_t>(std::min(group, kMostGroups));
  if (names_.size() <= place) names_.resize(place + 1);
  names_[place] = std::move(name);
}

std::string_view CollectiveLog::group_name(int group) const {
  const auto place = static_cast<std::size_t>(std::min(group, kMostGroups));
  return place < names_.size() ? std::string_view(names_[place]) : std::string_view();
}

CollectiveLog::Sum CollectiveLog::sum_of(std::string_view group) const {
  Sum sum;
  for (const Table& table : *tables_) {
    for (const Entry& entry : table) {
      const std::uint64_t key = entry.key.load();
      if (key == 0 || group_name(static_cast<int>(key_group(key))) != group) continue;
      sum.count += entry.count.load();
      sum.s += static_cast<double>(entry.total_ns.load()) * 1e-9;
    }
  }
  return sum;
}

std::vector<CollectiveSummary> CollectiveLog::summary(int rank, const char* (*name_of)(int op)) const {
  std::vector<CollectiveSummary> rows;
  for (const Condition condition : kConditions) {
    for (const Entry& entry : (*tables_)[static_cast<std::size_t>(condition)]) {
      const std::uint64_t key = entry.key.load();
      if (key == 0 || entry.count.load() == 0) continue;
      rows.push_back({.rank = rank,
                      .condition = condition,
                      .op = name_of(key_op(key)),
                      .bytes = key_bytes(key),
                      .count = entry.count.load(),
                      .total_s = static_cast<double>(entry.total_ns.load()) * 1e-9,
                      .min_s = static_cast<double>(entry.min_ns.load()) * 1e-9,
                      .max_s = static_cast<double>(entry.max_ns.load()) * 1e-9,
                      .group = std::string(group_name(static_cast<int>(key_group(key))))});
    }
  }
  return rows;
}

}  // namespace stash
