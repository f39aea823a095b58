// When rounds end, and what a disturbed one does to the ledger.
#include <gtest/gtest.h>

#include "simulated_run.h"
#include "stash/attribute/attribute.h"
#include "stash/attribute/stopping.h"

namespace stash {
namespace {

Script noisy(double normal_s) {
  Script script;
  script.noise.normal_s = normal_s;
  return script;
}

TEST(RulerRounds, EndWhenEveryIntervalWasNarrowTwice) {
  const SimulatedRun quiet = simulate({}, {});
  EXPECT_EQ(quiet.profile.stopped_by, StoppedBy::precision);
  EXPECT_EQ(quiet.profile.windows.back().round + 1, kMinRounds);

  Job job;
  job.max_time_s = 1e6;
  Profile noise = simulate(noisy(0.008), job).profile;
  EXPECT_EQ(noise.stopped_by, StoppedBy::precision);
  ASSERT_GT(noise.windows.back().round + 1, kMinRounds);
  std::vector<bool> precise;  // after the last three rounds
  for (int left_out = 0; left_out < 3; ++left_out) {
    precise.insert(precise.begin(), precise_enough(attribute(noise), 0.02));
    noise.windows.resize(noise.windows.size() - kWholeChain.size());
  }
  EXPECT_EQ(precise, (std::vector<bool>{false, true, true})) << "two rounds in a row, and none too many";
}

TEST(RulerRounds, EndBeforeTheTimeIsUp) {
  Job job;
  job.max_time_s = 40;
  job.precision_ratio = 0.0001;
  const SimulatedRun run = simulate(noisy(0.01), job);
  EXPECT_EQ(run.profile.stopped_by, StoppedBy::time);
  const double rounds_s = run.ranks[0].elapsed_s - run.ranks[0].pilot_s;
  EXPECT_LE(rounds_s, 40);
  EXPECT_GT(rounds_s, 40 - 2 * run.ranks[0].round_s);
}

// A slow first step, of a model that is compiled, belongs to the pilot.
TEST(RulerRounds, HaveTheirTimeHoweverLongThePilotWas) {
  Job job;
  job.max_time_s = 40;
  job.precision_ratio = 0.0001;
  Script script = noisy(0.01);
  script.warmup_s = 100;
  const SimulatedRank rank = simulate(script, job).ranks[0];
  ASSERT_GT(rank.pilot_s, job.max_time_s);
  EXPECT_GT(rank.elapsed_s - rank.pilot_s, job.max_time_s - 2 * rank.round_s);
}

TEST(RulerRounds, AreTwoWhateverTheyTake) {
  Job job;
  job.max_time_s = 1;
  const SimulatedRun run = simulate({}, job);
  EXPECT_EQ(run.profile.stopped_by, StoppedBy::time);
  EXPECT_EQ(run.profile.windows.back().round + 1, kFewestRounds);
}

TEST(RulerRounds, AreNoMoreThanWereAskedFor) {
  Job job;
  job.rounds = 3;
  EXPECT_EQ(simulate({}, job).profile.windows.size(), 3 * kWholeChain.size());
}

TEST(RulerRounds, EndBetweenTwoWindowsWhenOneRankIsAskedToStop) {
  Script script;
  script.ranks = 3;
  const SimulatedRun run =
      simulate(script, {}, kWholeChain, [](int rank, std::size_t windows) { return rank == 2 && windows == 9; });
  for (const SimulatedRank& rank : run.ranks) {
    EXPECT_EQ(rank.stopped_by, StoppedBy::interrupted);
    EXPECT_EQ(rank.windows.size(), 9U);
  }
}

TEST(RulerRounds, AWindowHitFromOutsideIsLeftOut) {
  Script script = noisy(0.001);
  script.noise.hit_probability = 0.02;
  script.noise.hit_s = 0.2;
  Job job;
  job.max_time_s = 1e6;
  int left_out = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    script.noise.seed = seed;
    const SimulatedRun run = simulate(script, job);
    const Ledger ledger = attribute(run.profile);
    left_out += ledger.rounds_left_out;
    EXPECT_EQ(run.profile.stopped_by, StoppedBy::precision);
    for (const Part part : kParts) EXPECT_NEAR(ledger[part]->s, script[part], 0.005) << to_string(part);
  }
  EXPECT_GT(left_out, 15);
}

// Everything gets 0.2 % slower by the second: 4 % in a run of five rounds.
TEST(RulerRounds, DriftCancelsInTheDifferences) {
  Script script;
  script.noise.drift_ratio_per_s = 0.002;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Job job;
    job.seed = seed;
    job.precision_ratio = 0.01;
    const SimulatedRun run = simulate(script, job);
    const double slowed = 1 + 0.002 * (1 + run.ranks[0].elapsed_s / 2);
    const Ledger ledger = attribute(run.profile);
    for (const Part part : kParts) {
      if (part == Part::compute) continue;
      EXPECT_NEAR(ledger[part]->s, slowed * script[part], 0.01 * script.step_s(Condition::cold)) << to_string(part);
    }
  }
}

}  // namespace
}  // namespace stash
