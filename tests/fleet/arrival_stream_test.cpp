#include "stash/fleet/traffic/arrival_stream.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stash {
namespace {

std::vector<double> arrivals_of(const LoadTrace& trace, std::uint64_t seed, TraceSpan span) {
  ArrivalStream stream(trace, seed, span);
  std::vector<double> all;
  for (auto some = stream.next(); !some.empty(); some = stream.next()) {
    EXPECT_LE(some.size(), 4096U);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

TEST(ArrivalStream, EveryRequestComesInItsSlotInOrder) {
  const LoadTrace trace{.slot_s = 60, .requests = {3, 0, 20000, 1}};
  const auto all = arrivals_of(trace, 1, {0, 240});
  ASSERT_EQ(all.size(), 20004U);
  EXPECT_TRUE(std::ranges::is_sorted(all));
  EXPECT_LT(all[2], 60);
  EXPECT_GE(all[3], 120);
  EXPECT_LT(all[20002], 180);
  EXPECT_GE(all[20003], 180);
}

TEST(ArrivalStream, ArrivalsDependOnTheSeedAndNotOnTheSpan) {
  const LoadTrace trace{.slot_s = 60, .requests = {300, 20000, 400}};
  const auto all = arrivals_of(trace, 7, {0, 180});
  auto part = arrivals_of(trace, 7, {0, 70});
  const auto rest = arrivals_of(trace, 7, {70, 180});
  part.insert(part.end(), rest.begin(), rest.end());
  EXPECT_EQ(part, all);
  EXPECT_NE(arrivals_of(trace, 8, {0, 180}), all);
}

TEST(ArrivalStream, ArrivalsAreEvenAndVaryLikePoisson) {
  const LoadTrace trace{.slot_s = 60, .requests = std::vector<std::uint32_t>(20, 30000)};
  const auto all = arrivals_of(trace, 3, {0, 1200});
  std::vector<double> per_s(1200);
  for (const double at_s : all) ++per_s[static_cast<std::size_t>(at_s)];
  double mean = 0, variance = 0;
  for (const double n : per_s) mean += n / 1200;
  for (const double n : per_s) variance += (n - mean) * (n - mean) / 1200;
  EXPECT_NEAR(mean, 500, 1e-9);
  EXPECT_NEAR(variance / mean, 1, 0.2);  // 59 of 60, give or take 4 %
}

TEST(ArrivalStream, RecordedTimesAreUsed) {
  const LoadTrace trace{.slot_s = 1, .requests = {2, 1}, .timed = {{.at_s = 0.25}, {.at_s = 0.5}, {.at_s = 1.5}}};
  EXPECT_EQ(arrivals_of(trace, 1, {0, 2}), (std::vector<double>{0.25, 0.5, 1.5}));
  EXPECT_EQ(arrivals_of(trace, 1, {0.3, 1}), (std::vector<double>{0.5}));
}

}  // namespace
}  // namespace stash
