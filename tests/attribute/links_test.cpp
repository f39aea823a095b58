#include "stash/attribute/links.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

LinkTime row(const char* scope, const char* op, int ranks, std::int64_t bytes, double s, int node = 0, int other = 0) {
  return {.scope = scope, .op = op, .node = node, .other = other, .ranks = ranks, .bytes = bytes, .repeats = 5, .s = s};
}

TEST(Links, BandwidthsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(algorithm_bytes_per_s(row("joined", "allreduce", 4, 1000, 0.5)), 2000);
  EXPECT_DOUBLE_EQ(bus_bytes_per_s(row("joined", "allreduce", 4, 1000, 0.5)), 3000);
  EXPECT_DOUBLE_EQ(bus_bytes_per_s(row("joined", "allgather", 4, 1000, 0.5)), 1500);
  EXPECT_DOUBLE_EQ(bus_bytes_per_s(row("joined", "reduce_scatter", 4, 1000, 0.5)), 1500);
  EXPECT_DOUBLE_EQ(bus_bytes_per_s(row("pair", "exchange", 2, 1000, 0.5)), 2000);
}

TEST(Links, AFitFindsLatencyAndRate) {
  std::vector<LinkTime> rows;
  for (std::int64_t bytes = 1024; bytes <= 1 << 26; bytes *= 8) {
    rows.push_back(row("joined", "allreduce", 2, bytes, 2e-4 + static_cast<double>(bytes) / 1e9));
  }
  const auto fit = fit_link(rows);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->latency_s, 2e-4, 1e-9);
  EXPECT_NEAR(fit->bytes_per_s, 1e9, 1e3);
  EXPECT_NEAR(fit->error_ratio, 0, 1e-6);
  EXPECT_FALSE(fit_link(std::span(rows).first(2)));
}

TEST(Links, AFitNeedsTimeThatGrowsWithSize) {
  std::vector<LinkTime> rows;
  for (std::int64_t bytes = 1024; bytes <= 1 << 20; bytes *= 8)
    rows.push_back(row("joined", "allreduce", 2, bytes, 1e-3));
  EXPECT_FALSE(fit_link(rows));
  rows[0].s = 0;
  EXPECT_FALSE(fit_link(rows));
}

TEST(Links, TheSlowHostIsInEveryBadPair) {
  Profile profile;
  profile.places = {{"a", 0}, {"b", 1}, {"c", 2}, {"d", 3}};
  const double fast_s = 0.01, slow_s = 0.1;
  profile.links = {
      row("pair", "exchange", 2, 1'000'000, fast_s, 0, 1), row("pair", "exchange", 2, 1'000'000, slow_s, 1, 2),
      row("pair", "exchange", 2, 1'000'000, slow_s, 2, 3), row("pair", "exchange", 2, 1'000'000, fast_s, 3, 0)};
  const auto slow = find_slow_link(profile);
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->host, "c");
  EXPECT_DOUBLE_EQ(slow->bytes_per_s, 1e7);
  EXPECT_DOUBLE_EQ(slow->others_bytes_per_s, 1e8);
  for (LinkTime& link : profile.links) link.s = fast_s;
  EXPECT_FALSE(find_slow_link(profile));
}

TEST(Links, OfTwoHostsNobodyCanTellWhich) {
  Profile profile;
  profile.places = {{"a", 0}, {"b", 1}};
  profile.links = {row("pair", "exchange", 2, 1'000'000, 0.1, 0, 1)};
  EXPECT_FALSE(find_slow_link(profile));
}

}  // namespace
}  // namespace stash
