#include "stash/predict/event_queue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include "stash/core/error.h"

namespace stash {
namespace {

// Pops and pushes at random and compares with a map, in which equal times keep the order of their pushes.
void compare_with_map(std::uint64_t seed, std::size_t most, const std::function<double(double u)>& delay_of) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  EventQueue queue;
  std::multimap<double, std::uint64_t> expected;
  double now_s = 0;
  std::uint64_t id = 0;
  for (int i = 0; i < 60'000; ++i) {
    const bool grows = i / 10'000 % 2 == 0;
    if (!expected.empty() && (expected.size() >= most || uniform(random) > (grows ? 0.7 : 0.3))) {
      const Event event = queue.pop();
      ASSERT_EQ(event.time_s, expected.begin()->first) << "seed " << seed << " step " << i;
      ASSERT_EQ(event.id, expected.begin()->second) << "seed " << seed << " step " << i;
      expected.erase(expected.begin());
      now_s = event.time_s;
    } else {
      const double time_s = now_s + delay_of(uniform(random));
      queue.push(time_s, id);
      expected.emplace(time_s, id++);
    }
    ASSERT_EQ(queue.size(), expected.size());
  }
  while (!expected.empty()) {
    ASSERT_EQ(queue.pop().id, expected.begin()->second);
    expected.erase(expected.begin());
  }
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, OrderIsThatOfTimesAndOfPushes) {
  for (const std::size_t most : {1, 2, 24, 25, 47, 48, 49, 300, 20'000}) {
    compare_with_map(most, most, [](double u) { return u; });
    compare_with_map(most, most, [](double u) { return -std::log(1 - u) * 1e-6; });
    compare_with_map(most, most, [](double u) { return u < 0.9 ? u * 1e-3 : u * 1e9; });
  }
}

TEST(EventQueue, EqualTimesLeaveInTheOrderOfTheirPushes) {
  for (const std::size_t most : {10, 48, 60, 5'000, 20'000}) {
    compare_with_map(most, most, [](double) { return 0.0; });
    compare_with_map(most, most, [](double u) { return std::floor(u * 3); });
    compare_with_map(most, most, [](double u) { return u < 0.5 ? 0.0 : u < 0.6 ? 1e300 : 5e-324; });
  }
}

TEST(EventQueue, AnEmptyQueueCanBeUsedAgain) {
  EventQueue queue;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) queue.push(1000.0 * round + 99 - i, static_cast<std::uint64_t>(i));
    for (int i = 99; i >= 0; --i) EXPECT_EQ(queue.pop().id, static_cast<std::uint64_t>(i));
    EXPECT_TRUE(queue.empty());
  }
}

TEST(EventQueue, TheClockDoesNotGoBack) {
  EventQueue queue;
  queue.push(2, 0);
  queue.push(-0.0, 1);
  EXPECT_EQ(queue.pop().time_s, 0);
  EXPECT_EQ(queue.pop().time_s, 2);
  queue.push(2, 0);
  EXPECT_THROW(queue.push(1.999, 0), Error);
  EXPECT_THROW(queue.push(-1, 0), Error);
  EXPECT_THROW(queue.push(std::numeric_limits<double>::infinity(), 0), Error);
  EXPECT_THROW(queue.push(std::numeric_limits<double>::quiet_NaN(), 0), Error);
  EXPECT_EQ(queue.size(), 1u);
}

}  // namespace
}  // namespace stash
