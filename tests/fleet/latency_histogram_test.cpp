#include "stash/fleet/replay/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "stash/fleet/replay/device_router.h"

namespace stash {
namespace {

TEST(LatencyHistogram, QuantilesAreThoseOfTheValues) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> draw(std::log(0.05), 0.8);
  LatencyHistogram histogram;
  std::vector<double> values(50'000);
  for (double& value : values) histogram.add(value = draw(random));
  std::ranges::sort(values);
  for (const double ratio : {0.5, 0.9, 0.99}) {
    EXPECT_NEAR(histogram.quantile(ratio) / values[static_cast<std::size_t>(ratio * 50'000)], 1, 0.01) << ratio;
  }
}

TEST(LatencyHistogram, AnyValueHasAPlace) {
  LatencyHistogram histogram;
  for (const double s : {-1.0, 0.0, 1e-12, 1e12}) histogram.add(s);
  EXPECT_EQ(histogram.count(), 4U);
  LatencyHistogram other;
  other.add(histogram);
  EXPECT_EQ(other.count(), 4U);
  other.clear();
  EXPECT_EQ(other.count(), 0U);
}

TEST(DeviceRouter, DevicesComeAsOftenAsTheirWeights) {
  const MachineType type{.name = "m", .start = {}, .times = BatchTimes({{1, 0.01}})};
  const BatchTable table(type, 0.1, 1, 10);
  QueueLog log;
  std::vector<DeviceQueue> devices(3, DeviceQueue(table, 0.1, 0, log));
  DeviceRouter router;
  router.set(std::vector<RoutedDevice>{{&devices[0], 1}, {&devices[1], 2}, {&devices[2], 5}});
  std::vector<int> turns(3);
  int longest = 0, since = 0;
  for (int i = 0; i < 8000; ++i) {
    const auto device = static_cast<std::size_t>(&router.next() - devices.data());
    ++turns[device];
    since = device == 0 ? 0 : since + 1;
    longest = std::max(longest, since);
  }
  EXPECT_NEAR(turns[0], 1000, 10);
  EXPECT_NEAR(turns[1], 2000, 20);
  EXPECT_LE(longest, 8);  // evenly
  router.set({});
  EXPECT_TRUE(router.empty());
}

}  // namespace
}  // namespace stash
