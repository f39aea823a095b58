// Several ranks, each with a ruler of its own, in step.
#include <gtest/gtest.h>

#include "simulated_run.h"
#include "stash/attribute/attribute.h"
#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

Script script_of(int ranks) {
  Script script;
  script.ranks = ranks;
  return script;
}

TEST(RulerRanks, AllMakeTheSameWindowsInTheSameOrder) {
  Script script = script_of(4);
  script.noise.normal_s = 0.004;
  const SimulatedRun run = simulate(script, {});
  for (const SimulatedRank& rank : run.ranks) {
    EXPECT_EQ(rank.calls, run.ranks[0].calls);
    EXPECT_EQ(rank.stopped_by, run.ranks[0].stopped_by);
    ASSERT_EQ(rank.windows.size(), run.profile.windows.size());
    for (std::size_t i = 0; i < rank.windows.size(); ++i)
      EXPECT_EQ(rank.windows[i].ranks, run.profile.windows[i].ranks);
  }
}

// So what thousands of profiles of one rank say of intervals holds for several.
TEST(RulerRanks, RanksThatAreAlikeMeasureWhatOneWould) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Script script = script_of(1);
    script.noise = {.normal_s = 0.004, .seed = seed};
    const Ledger alone = attribute(simulate(script, {}).profile);
    script.ranks = 3;
    const Ledger together = attribute(simulate(script, {}).profile);
    EXPECT_EQ(together.rounds, alone.rounds);
    for (const Part part : kParts) {
      EXPECT_NEAR(together[part]->s, alone[part]->s, 1e-9);
      EXPECT_NEAR(together[part]->low_s, alone[part]->low_s, 1e-9);
    }
  }
}

TEST(RulerRanks, OnlyOneComputesAlone) {
  for (const Window& window : simulate(script_of(3), {}).profile.windows) {
    ASSERT_EQ(window.ranks.size(), 3U);
    EXPECT_TRUE(window.ranks[0]);
    EXPECT_EQ(window.ranks[1].has_value(), window.condition != Condition::solo);
  }
}

TEST(RulerRanks, TheOutcomeDoesNotDependOnHowThreadsAreScheduled) {
  Script script = script_of(3);
  script.noise.normal_s = 0.006;
  script.late_s[1] = 0.01;
  const Profile first = simulate(script, {}).profile;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(simulate(script, {}).profile, first);
}

TEST(RulerRanks, ClocksThatAreSecondsApartAreAligned) {
  Script script = script_of(3);
  script.clock_offset_s = {{1, 3.5}, {2, -0.25}};
  script.late_link_s[2] = 0.007;
  const SimulatedRun run = simulate(script, {});
  EXPECT_NEAR(run.ranks[0].clocks_s, script.exchange_s, 1e-9);
  for (const Window& window : run.profile.windows) {
    const bool collectives = window.condition >= Condition::node;
    ASSERT_EQ(window.ranks[0]->behind_s.has_value(), collectives);
    if (!collectives) continue;
    EXPECT_NEAR(*window.ranks[2]->behind_s, 0.007, 1e-6);
    EXPECT_LT(*window.ranks[1]->behind_s, 1e-6);
  }
}

TEST(RulerRanks, TracesAreOnOneTimeLine) {
  Script script = script_of(2);
  script.clock_offset_s = {{1, 2.0}};
  const SimulatedRun run = simulate(script, {});
  ASSERT_EQ(run.profile.traces.size(), kWholeChain.size());
  for (const WindowTrace& trace : run.profile.traces) {
    ASSERT_EQ(trace.ranks.size(), trace.condition == Condition::solo ? 1U : 2U);
    for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
      EXPECT_EQ(trace.ranks[rank].rank, static_cast<int>(rank));
      EXPECT_NEAR(static_cast<double>(trace.ranks[rank].host[0].start_us), 0, 1);
    }
  }
  EXPECT_TRUE(run.ranks[1].traces.empty()) << "one rank keeps them";
}

TEST(RulerRanks, ALossThatIsNotFiniteEndsTheRunAndNamesTheRank) {
  Script script = script_of(3);
  script.diverges_after_runs = 40;
  EXPECT_NE(message_of([&] { simulate(script, {}); }).find("the loss of rank 2 is not finite"), std::string::npos);
}

}  // namespace
}  // namespace stash
