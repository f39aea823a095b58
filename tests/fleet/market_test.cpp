#include <gtest/gtest.h>

#include <algorithm>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/fleet/market/capacity.h"
#include "stash/fleet/market/catalogue_market.h"
#include "stash/fleet/market/cpu_time.h"
#include "stash/fleet/market/published_market.h"
#include "stash/fleet/policy/mark_policy.h"
#include "support/message_of.h"

namespace stash {
namespace {

const MachineType& machine_called(const Market& market, std::string_view name) {
  return *std::ranges::find(market.machines, name, &MachineType::name);
}

TEST(PublishedMarket, MarksCapacitiesComeBack) {
  const Market market = published_market("mark-inception");
  ASSERT_EQ(market.machines.size(), 5U);
  EXPECT_NEAR(mark_per_min(machine_called(market, "c5.large"), 1), 284, 0.5);
  EXPECT_NEAR(mark_per_min(machine_called(market, "c5.4xlarge"), 1), 1080, 0.5);
  EXPECT_NEAR(mark_per_min(machine_called(market, "p2.xlarge"), 1), 3320, 0.5);
  EXPECT_DOUBLE_EQ(machine_called(market, "p2.xlarge").usd_per_hour, 0.9);
  EXPECT_DOUBLE_EQ(machine_called(market, "p2.xlarge").start.median_s(), 180);
  EXPECT_NE(message_of<UsageError>([] { published_market("mark-inceptoin"); }).find("'mark-inception'"),
            std::string::npos);
}

TEST(CpuTime, IsNearMarksMeasurements) {
  // Inception-v3, 11.4 Gop: 211, 122, 78 and 56 ms on 1, 2, 4 and 8 cores.
  EXPECT_NEAR(cpu_forward_s(11.4e9, 1), 0.211, 0.05);
  EXPECT_NEAR(cpu_forward_s(11.4e9, 2), 0.122, 0.03);
  EXPECT_NEAR(cpu_forward_s(11.4e9, 8), 0.056, 0.02);
  // NASNet, 47.6 Gop: 706 and 321 ms on 2 and 8 cores.
  EXPECT_NEAR(cpu_forward_s(47.6e9, 2), 0.706, 0.15);
  EXPECT_NEAR(cpu_forward_s(47.6e9, 8), 0.321, 0.06);
}

TEST(CatalogueMarket, HasGpusCpusAndFunctionsWithTheirSources) {
  std::vector<std::string> warnings;
  const Market market = catalogue_market({.model = "resnet50", .on = {}}, instance_table(), warnings);
  EXPECT_TRUE(std::ranges::any_of(market.machines, &MachineType::has_gpu));
  EXPECT_FALSE(std::ranges::all_of(market.machines, &MachineType::has_gpu));
  EXPECT_FALSE(market.functions.empty());
  for (const MachineType& one : market.machines) EXPECT_FALSE(one.source.empty()) << one.name;
  EXPECT_DOUBLE_EQ(machine_called(market, "g4dn.xlarge").usd_per_hour, 0.526);
  EXPECT_GT(machine_called(market, "c5.large").times.at(1), machine_called(market, "c5.4xlarge").times.at(1));
}

TEST(CatalogueMarket, TakesMachinesByNameAndSaysWhichHaveNoPrice) {
  std::vector<std::string> warnings;
  const Market market =
      catalogue_market({.model = "resnet50", .on = {"g4dn.xlarge", "p5e.48xlarge", "c5.large", "function-T4"}},
                       instance_table(), warnings);
  ASSERT_EQ(market.machines.size(), 3U);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0], "p5e.48xlarge is not offered: its price is missing; add it with `stash catalog add`");
  EXPECT_LT(machine_called(market, "function-T4").start.median_s(),
            machine_called(market, "g4dn.xlarge").start.median_s());
  EXPECT_NE(message_of<UsageError>([&] {
              catalogue_market({.model = "resnet50", .on = {"g4dn.xlarg"}}, instance_table(), warnings);
            }).find("g4dn.xlarge"),
            std::string::npos);
}

}  // namespace
}  // namespace stash
