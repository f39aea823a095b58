#include "stash/cli/flags/characterize_flags.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "../core/contains.h"
#include "support/message_of.h"

namespace stash {
namespace {

struct CharacterizeFlagsTest : testing::Test {
  void given(const std::string& line) {
    flags.add_to(app);
    app.parse(line);
    flags.resolve();
  }
  Battery battery() const { return flags.battery(0, 8, launched); }

  CLI::App app;
  CharacterizeFlags flags;
  std::optional<LaunchedBattery> launched = LaunchedBattery{
      .process =
          {.launcher = "torchrun", .rank = 0, .size = 4, .local_rank = 0, .local_size = 2, .meeting = {}, .read = {}},
      .machines = 2};
};

TEST_F(CharacterizeFlagsTest, ALaunchDecidesRanksAndNodes) {
  given("--models squeezenet1_0 --batches 2,4");
  const Battery battery = this->battery();
  ASSERT_EQ(battery.cases.size(), 2u);
  EXPECT_EQ(battery.machines, 2);
  for (const Case& one : battery.cases) {
    EXPECT_EQ(one.job.ranks, 4);
    EXPECT_EQ(one.nodes, 2);
    EXPECT_EQ(one.why_not, "");
  }
}

TEST_F(CharacterizeFlagsTest, ALauncherOfNodesLeavesRanksToEachProcess) {
  launched->process.starts_nodes = true;
  launched->process.size = 2;
  given("--models squeezenet1_0 --batches 2 --ranks 3");
  EXPECT_EQ(battery().cases.front().job.ranks, 6);
}

TEST_F(CharacterizeFlagsTest, APriceIsOfEachMachine) {
  given("--models squeezenet1_0 --usd-per-hour 3 --max-cost 5");
  EXPECT_EQ(battery().usd_per_h, 6);
  EXPECT_EQ(flags.caps(launched).usd_per_h, 6);
  EXPECT_EQ(flags.caps(std::nullopt).usd_per_h, 3);
}

TEST_F(CharacterizeFlagsTest, EmulatedNodesAreRefusedInALaunch) {
  given("--models squeezenet1_0 --nodes 2 --ranks 2");
  EXPECT_CONTAINS(message_of([&] { battery(); }), "torchrun started processes on 2: leave it out");
  launched.reset();
  EXPECT_EQ(battery().cases.front().nodes, 2);
  EXPECT_FALSE(battery().machines);
}

TEST_F(CharacterizeFlagsTest, OtherRanksThanTheLaunchHasAreRefused) {
  given("--models squeezenet1_0 --ranks 2");
  EXPECT_CONTAINS(message_of([&] { battery(); }), "torchrun started 4 ranks, not 2");
}

}  // namespace
}  // namespace stash
