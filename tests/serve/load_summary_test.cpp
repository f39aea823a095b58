#include "stash/serve/load/load_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace stash {
namespace {

SentRequest answered(std::int64_t planned_ms, std::int64_t latency_ms) {
  return {planned_ms * 1'000'000, planned_ms * 1'000'000, (planned_ms + latency_ms) * 1'000'000, 200};
}

// A queue with one server, Poisson arrivals and exponential service: its latency is exponential with mean
// 1 / (1 / service - rate).
std::vector<SentRequest> queue(double rate, double service_s, std::size_t count, std::mt19937_64& random) {
  std::exponential_distribution<double> gap(rate), service(1 / service_s);
  std::vector<SentRequest> requests;
  double at = 0, free_at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    at += gap(random);
    free_at = std::max(at, free_at) + service(random);
    const auto planned = static_cast<std::int64_t>(at * 1e9);
    requests.push_back({planned, planned, static_cast<std::int64_t>(free_at * 1e9), 200});
  }
  return requests;
}

TEST(LoadSummary, QuantilesAreThoseOfTheSortedLatencies) {
  std::vector<SentRequest> requests;
  for (int i = 0; i < 100; ++i) requests.push_back(answered(i, 100 - i));
  const LoadSummary summary = summarize_load(requests, 0.0505);
  EXPECT_DOUBLE_EQ(summary.p50->s, 0.051);
  EXPECT_DOUBLE_EQ(summary.p99->s, 0.1);
  EXPECT_DOUBLE_EQ(summary.mean->s, 0.0505);
  EXPECT_DOUBLE_EQ(*summary.within_objective_ratio, 0.5);
  EXPECT_FALSE(summary.p99->low_s);  // five requests of a block say nothing about one in a hundred
  EXPECT_TRUE(summary.mean->low_s);
}

TEST(LoadSummary, LatencyCountsFromThePlanAndLatenessIsTold) {
  std::vector<SentRequest> requests(100, SentRequest{0, 4'000'000, 10'000'000, 200});
  const LoadSummary summary = summarize_load(requests, {});
  EXPECT_DOUBLE_EQ(summary.mean->s, 0.010);
  EXPECT_DOUBLE_EQ(summary.client_late_s, 0.004);
  EXPECT_NE(why_rejected(summary), "");
  for (SentRequest& one : requests) one.sent_ns = 500'000;
  EXPECT_EQ(why_rejected(summarize_load(requests, {})), "");
}

TEST(LoadSummary, RefusedAndFailedAreCountedApart) {
  const std::vector<SentRequest> requests{
      answered(0, 5), {0, 0, 1, 503}, {0, 0, 1, 429}, {0, 0, 1, 400}, {0, 0, -1, 0}};
  const LoadSummary summary = summarize_load(requests, 1.0);
  EXPECT_EQ(summary.answered, 1U);
  EXPECT_EQ(summary.refused, 2U);
  EXPECT_EQ(summary.failed, 2U);
  EXPECT_DOUBLE_EQ(*summary.within_objective_ratio, 0.2);
}

TEST(LoadSummary, NothingAnsweredHasNoLatency) {
  const std::vector<SentRequest> requests{{0, 0, -1, 0}};
  EXPECT_FALSE(summarize_load(requests, {}).mean);
  EXPECT_EQ(summarize_load({}, {}).planned, 0U);
}

TEST(LoadSummary, IntervalsHoldTheTruthOfAQueue) {
  std::mt19937_64 random(11);
  const double rate = 70, service_s = 0.01, mean_s = 1 / (1 / service_s - rate);
  int mean_covered = 0, p50_covered = 0, p99_covered = 0;
  constexpr int kRuns = 200;
  for (int i = 0; i < kRuns; ++i) {
    const LoadSummary summary = summarize_load(queue(rate, service_s, 20'000, random), {});
    const auto covers = [](const std::optional<LatencyEstimate>& one, double truth) {
      return *one->low_s <= truth && truth <= *one->high_s;
    };
    mean_covered += covers(summary.mean, mean_s) ? 1 : 0;
    p50_covered += covers(summary.p50, mean_s * std::log(2)) ? 1 : 0;
    p99_covered += covers(summary.p99, mean_s * std::log(100)) ? 1 : 0;
  }
  EXPECT_GE(mean_covered, kRuns * 0.91);
  EXPECT_GE(p50_covered, kRuns * 0.91);
  EXPECT_GE(p99_covered, kRuns * 0.89);
}

}  // namespace
}  // namespace stash
