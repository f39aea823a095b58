#include "stash/import/sweep.h"

#include <algorithm>

namespace stash {
namespace {

// One set, walked along with the time.
class Walker {
 public:
  explicit Walker(std::span<const Interval> list) : list_(list) {}

  void move_to(std::int64_t time_ns) {
    while (!list_.empty() && list_.front().end_ns <= time_ns) list_ = list_.subspan(1);
  }
  bool covers(std::int64_t time_ns) const { return !list_.empty() && list_.front().start_ns <= time_ns; }
  // Where covers() changes next; `limit_ns` when not before that.
  std::int64_t next_edge(std::int64_t time_ns, std::int64_t limit_ns) const {
    if (list_.empty()) return limit_ns;
    return std::min(limit_ns, covers(time_ns) ? list_.front().end_ns : list_.front().start_ns);
  }

 private:
  std::span<const Interval> list_;
};

// From `time_ns` to where the answer may change: who is first there, and until when.
std::size_t first_cover(std::vector<Walker>& walkers, std::int64_t time_ns, std::int64_t& until_ns) {
  for (std::size_t i = 0; i < walkers.size(); ++i) {
    walkers[i].move_to(time_ns);
    until_ns = walkers[i].next_edge(time_ns, until_ns);
    if (walkers[i].covers(time_ns)) return i;  // sets behind it do not matter until it, or one before it, changes
  }
  return walkers.size();
}

}  // namespace

std::vector<std::vector<std::int64_t>> share_out(std::span<const std::span<const Interval>> sets,
                                                 std::span<const Interval> windows) {
  std::vector<Walker> walkers(sets.begin(), sets.end());
  std::vector<std::vector<std::int64_t>> shares;
  for (const Interval& window : windows) {
    std::vector<std::int64_t>& row = shares.emplace_back(sets.size() + 1);
    for (std::int64_t time_ns = window.start_ns; time_ns < window.end_ns;) {
      std::int64_t until_ns = window.end_ns;
      const std::size_t first = first_cover(walkers, time_ns, until_ns);
      row[first] += until_ns - time_ns;
      time_ns = until_ns;
    }
  }
  return shares;
}

}  // namespace stash
