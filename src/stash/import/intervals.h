#pragma once

#include <cstdint>
#include <vector>

namespace stash {

struct Interval {
  std::int64_t start_ns = 0, end_ns = 0;
  bool operator==(const Interval&) const = default;
};

// A union of times. Events may come in any order; those that come in order and touch cost no memory.
class IntervalSet {
 public:
  void add(std::int64_t start_ns, std::int64_t end_ns) {
    if (!list_.empty() && start_ns >= list_.back().start_ns && start_ns <= list_.back().end_ns) {
      if (end_ns > list_.back().end_ns) list_.back().end_ns = end_ns;
      return;
    }
    append({start_ns, end_ns});
  }

  void add_all(const IntervalSet& other) {
    for (const Interval& time : other.list_) add(time.start_ns, time.end_ns);
  }

  bool empty() const { return list_.empty(); }
  // In order, apart from each other.
  const std::vector<Interval>& merged();

 private:
  void append(Interval interval);

  std::vector<Interval> list_;
  bool in_order_ = true;
};

}  // namespace stash
