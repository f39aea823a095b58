// The five traps of docs/method.md, as far as the ruler guards against them; tests/measure/traps_test.py meets them
// with real ranks. Each fails when the ruler's guard is taken out.
#include <gtest/gtest.h>

#include "simulated_run.h"
#include "stash/attribute/attribute.h"
#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

double window_step_s(const Window& window) {
  double slowest_s = 0;
  for (const auto& rank : window.ranks) slowest_s = std::max(slowest_s, rank ? rank->wall_s : 0);
  return slowest_s / window.steps;
}

void expect_true_steps(const Script& script, const Job& job) {
  for (const Window& window : simulate(script, job).profile.windows) {
    const double step_s = script.step_s(window.condition);
    EXPECT_NEAR(window_step_s(window), step_s, 0.005 * step_s) << to_string(window.condition) << window.round;
  }
}

// Workers go on filling their queue while other conditions run, and nobody throws it away: where a batch takes several
// steps to make, the lead-in uses up what was queued.
TEST(RulerTraps, One_BatchesPreparedBetweenWindowsAreNotFree) {
  Script script;
  script.drains = false;
  for (const int prefetch : {1, 2, 8}) {
    Job job;
    job.prefetch = prefetch;
    script.part_s[5] = (prefetch + 1) * script.step_s(Condition::staged);
    expect_true_steps(script, job);
  }
}

// A rank that waits for a late one fills its queue meanwhile: a window of no more steps would be free on it.
TEST(RulerTraps, One_AnInputWindowIsLongerThanTheQueue) {
  Script script;
  script.part_s[0] = 0.4;  // a window of one step would be long enough for its edges
  Job job;
  job.prefetch = 6;
  for (const Window& window : simulate(script, job).profile.windows) {
    const int fewest = uses_input(window.condition) ? job.prefetch + 1 : 1;
    EXPECT_GE(window.steps, fewest);
  }
}

TEST(RulerTraps, Two_RanksThatTrainedApartMustHaveTheSameWeightsAgain) {
  Script script;
  script.ranks = 2;
  const std::vector<Condition> chain{Condition::apart, Condition::node};
  EXPECT_EQ(simulate(script, {}, chain).profile.stopped_by, StoppedBy::precision);
  script.matches_weights = false;
  EXPECT_EQ(message_of([&] { simulate(script, {}, chain); }), "the ranks' weights differ before condition node");
}

// All pages are cached, and only those that are announced are evicted: the lead-in's are announced as well.
TEST(RulerTraps, Three_EveryStepOfAColdWindowReadsColdPages) { expect_true_steps({}, {}); }

// No page is cached, and only those that are announced are loaded.
TEST(RulerTraps, Three_EveryStepOfAHotWindowReadsCachedPages) {
  Script script;
  script.pages_cached = false;
  expect_true_steps(script, {});
}

TEST(RulerTraps, Three_TheShareOfCachedPagesIsKept) {
  for (const Window& window : simulate({}, {}).profile.windows) {
    const std::optional<double> expected = window.condition == Condition::cold  ? std::optional(0.0)
                                           : window.condition == Condition::hot ? std::optional(1.0)
                                                                                : std::nullopt;
    EXPECT_EQ(window.resident_ratio, expected);
  }
}

// Of long steps the pilot times only the first condition's, of short ones most: either way no window has a first step
// in it, nor the batches that were made meanwhile.
TEST(RulerTraps, Four_AConditionsFirstStepIsInNoWindow) {
  for (const double compute_s : {0.01, 0.1, 0.4}) {
    Script script;
    script.part_s[0] = compute_s;
    script.warmup_s = 1;
    expect_true_steps(script, {});
  }
}

TEST(RulerTraps, Four_TheWarmUpDoesNotShortenWindows) {
  Script script;
  const std::vector<Window> plain = simulate(script, {}).profile.windows;
  script.warmup_s = 1;
  const std::vector<Window> warmed = simulate(script, {}).profile.windows;
  ASSERT_EQ(warmed.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(warmed[i].steps, plain[i].steps);
}

// A late rank makes the others wait inside their collectives. That is contention, where it already is late by itself.
TEST(RulerTraps, Five_WaitingForALateRankIsNotATransfer) {
  Script script;
  script.ranks = 3;
  script.late_s[1] = 0.03;
  script.clock_offset_s[1] = 1.5;
  const Profile profile = simulate(script, {}, {Condition::solo, Condition::apart, Condition::node}).profile;
  const Ledger ledger = attribute(profile);
  EXPECT_NEAR(ledger[Part::contention]->s, script[Part::contention] + 0.03, 1e-4);
  EXPECT_NEAR(ledger[Part::interconnect]->s, script[Part::interconnect], 1e-4);
  ASSERT_TRUE(ledger.late_rank);
  EXPECT_EQ(ledger.late_rank->rank, 1);
  EXPECT_EQ(ledger.late_rank->condition, Condition::apart);
  EXPECT_NEAR(ledger.late_rank->s, 0.03, 1e-4);
  for (const Window& window : profile.windows) {
    if (window.condition != Condition::node) continue;
    EXPECT_NEAR((window.ranks[0]->collective_s - window.ranks[1]->collective_s) / window.steps, 0.03, 1e-4);
  }
}

// A rank that is late to collectives alone shows by when it comes to them, on clocks that were aligned.
TEST(RulerTraps, Five_ARankThatIsLateToCollectivesIsFoundByItsArrival) {
  Script script;
  script.ranks = 3;
  script.late_link_s[2] = 0.02;
  script.clock_offset_s = {{1, 0.5}, {2, -0.5}};
  const Ledger ledger = attribute(simulate(script, {}, {Condition::solo, Condition::apart, Condition::node}).profile);
  ASSERT_TRUE(ledger.late_rank);
  EXPECT_EQ(ledger.late_rank->rank, 2);
  EXPECT_EQ(ledger.late_rank->cause, LateCause::link);
  EXPECT_NEAR(ledger.late_rank->s, 0.02, 1e-4);
}

}  // namespace
}  // namespace stash
