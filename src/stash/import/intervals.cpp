#include "stash/import/intervals.h"

#include <algorithm>

namespace stash {
namespace {

constexpr std::size_t kFirstCapacity = 1024;

}  // namespace

void IntervalSet::append(Interval interval) {
  if (list_.size() == list_.capacity()) {
    merged();  // before more memory is asked for
    const std::size_t size = list_.size();
    if (size + size / 4 >= list_.capacity()) list_.reserve(std::max(kFirstCapacity, size + size / 2));
  }
  if (!list_.empty() && interval.start_ns < list_.back().start_ns) in_order_ = false;
  list_.push_back(interval);
}

const std::vector<Interval>& IntervalSet::merged() {
  if (in_order_) return list_;
  std::ranges::sort(list_, {}, &Interval::start_ns);
  std::size_t kept = 0;
  for (const Interval& next : list_) {
    if (kept > 0 && next.start_ns <= list_[kept - 1].end_ns) {
      list_[kept - 1].end_ns = std::max(list_[kept - 1].end_ns, next.end_ns);
    } else {
      list_[kept++] = next;
    }
  }
  list_.resize(kept);
  in_order_ = true;
  return list_;
}

}  // namespace stash
