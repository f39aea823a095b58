#include "stash/fleet/live/load_book.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "support/message_of.h"

namespace stash {
namespace {

TEST(LoadBook, CountsRequestsByMinuteWithTheBusiestFiveSeconds) {
  LoadBook book;
  for (int i = 0; i < 60; ++i) book.add_request(i, 0.01, RequestEnd::served);
  for (int i = 0; i < 7; ++i) book.add_request(21.5, 0.3, RequestEnd::late);
  book.add_request(61, 0.001, RequestEnd::refused);
  const auto minutes = book.minutes(60);
  ASSERT_EQ(minutes.size(), 1u);
  EXPECT_EQ(minutes[0].requests, 67);
  EXPECT_EQ(minutes[0].peak_5s, 12);
  EXPECT_EQ(minutes[0].missed, 7);
  EXPECT_FALSE(minutes[0].hole);
  EXPECT_EQ(book.totals(), (LoadCounts{.served = 60, .late = 7, .refused = 1, .failed = 0}));
}

TEST(LoadBook, AMinuteThatHasBegunIsNotOver) {
  LoadBook book;
  book.add_request(59.9, 0.01, RequestEnd::served);
  EXPECT_TRUE(book.minutes(59.95).empty());
  EXPECT_EQ(book.minutes(60).size(), 1u);
}

TEST(LoadBook, CountsThatCoverASpanAreSpreadEvenly) {
  LoadBook book;
  book.add(30, 90, {.served = 60, .late = 0, .refused = 30, .failed = 30});
  const auto minutes = book.minutes(120);
  EXPECT_NEAR(minutes[0].requests, 60, 1e-9);
  EXPECT_NEAR(minutes[1].missed, 30, 1e-9);
  EXPECT_NEAR(minutes[1].peak_5s, 10, 1e-9);
}

TEST(LoadBook, NonsenseIsRefused) {
  LoadBook book;
  EXPECT_NE(message_of([&] { book.add(0, 5, {.served = -3}); }).find("-3 requests"), std::string::npos);
  EXPECT_THROW(book.add(0, 5, {.late = std::numeric_limits<double>::quiet_NaN()}), Error);
  EXPECT_EQ(book.totals().all(), 0);
}

TEST(LoadBook, AMinuteOfWhichLittleIsKnownIsAHole) {
  LoadBook book;
  book.note_unknown(55, 75);
  const auto minutes = book.minutes(130);
  EXPECT_FALSE(minutes[0].hole);
  EXPECT_TRUE(minutes[1].hole);
}

TEST(LoadBook, AFastClockKeepsTheRate) {
  LoadBook book(10);
  for (int i = 0; i < 60; ++i) book.add_request(i, 0.01, RequestEnd::served);  // in 6 s of time
  EXPECT_EQ(book.minutes(60)[0].requests, 600);
  EXPECT_EQ(book.totals().all(), 60);
  EXPECT_NEAR(book.rate_per_s(60, 30), 10, 1e-9);
}

TEST(LoadBook, AFastClockDoesNotMakeTheBusiestFiveSecondsBusier) {
  std::mt19937_64 random(3);
  const auto mean_peak = [&](double speed) {
    LoadBook book(speed);
    constexpr int kMinutes = 400;
    std::exponential_distribution<double> gap_s(50 / speed);  // 50 requests per second of time
    for (double at_s = gap_s(random); at_s < 60 * kMinutes; at_s += gap_s(random)) {
      book.add_request(at_s, 0.01, RequestEnd::served);
    }
    double sum = 0;
    for (const LoadMinute& one : book.minutes(60 * kMinutes)) sum += one.peak_5s;
    return sum / kMinutes;
  };
  EXPECT_NEAR(mean_peak(10) / mean_peak(1), 1, 0.02);
}

TEST(LatencyCounts, PercentilesAreWithinFivePercent) {
  LatencyCounts counts;
  EXPECT_FALSE(counts.percentile(0.5));
  EXPECT_FALSE(counts.mean_s());
  for (int i = 1; i <= 1000; ++i) counts.add(i * 1e-3);
  EXPECT_NEAR(*counts.percentile(0.5), 0.5, 0.03);
  EXPECT_NEAR(*counts.percentile(0.99), 0.99, 0.06);
  EXPECT_NEAR(*counts.mean_s(), 0.5005, 1e-9);
  counts.add(1e9);
  EXPECT_GT(*counts.percentile(1 - 1e-9), 100);
}

}  // namespace
}  // namespace stash
