#include "stash/import/intervals.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "stash/import/sweep.h"

namespace stash {

TEST(IntervalSet, InAnyOrderTheUnionIsTheSame) {
  IntervalSet set;
  for (const Interval& i : {Interval{50, 60}, {0, 10}, {5, 20}, {20, 30}, {55, 56}, {70, 70}})
    set.add(i.start_ns, i.end_ns);
  EXPECT_EQ(set.merged(), (std::vector<Interval>{{0, 30}, {50, 60}, {70, 70}}));
  set.add(25, 52);
  EXPECT_EQ(set.merged(), (std::vector<Interval>{{0, 60}, {70, 70}}));
}

// Beside a count of every nanosecond.
TEST(Sweep, EveryMomentGoesToTheFirstSetThatCoversIt) {
  constexpr int kLength = 400;
  std::mt19937 random(7);
  const auto below = [&](int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random); };
  for (int round = 0; round < 200; ++round) {
    std::array<IntervalSet, 3> sets;
    std::array<std::array<bool, kLength>, 3> covered{};
    for (int i = 0; i < 40; ++i) {
      const int which = below(3), start = below(kLength - 20), length = below(20);
      sets[which].add(start, start + length);
      for (int t = start; t < start + length; ++t) covered[which][t] = true;
    }
    const std::vector<Interval> windows{{10, 150}, {150, 200}, {230, 399}};
    const std::vector<std::span<const Interval>> spans{sets[0].merged(), sets[1].merged(), sets[2].merged()};
    const auto shares = share_out(spans, windows);
    for (std::size_t w = 0; w < windows.size(); ++w) {
      std::vector<std::int64_t> expected(4);
      for (auto t = windows[w].start_ns; t < windows[w].end_ns; ++t) {
        ++expected[covered[0][t] ? 0 : covered[1][t] ? 1 : covered[2][t] ? 2 : 3];
      }
      EXPECT_EQ(shares[w], expected) << round;
    }
  }
}

}  // namespace stash
