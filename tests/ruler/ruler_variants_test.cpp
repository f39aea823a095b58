// Settings beside the conditions: what they gain is found, and the ledger does not pay for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "simulated_run.h"
#include "stash/attribute/attribute.h"
#include "stash/attribute/stopping.h"
#include "stash/attribute/variants.h"

namespace stash {
namespace {

const std::vector<Variant> kTwo{{Condition::joined, "off:dp"}, {Condition::joined, "off:tp"}};

Script two_groups() {
  Script script;
  script.saves_s = {{"off:dp", 0.012}, {"off:tp", -0.004}};
  return script;
}

SimulatedRun simulate_variants(const Script& script, const Job& job, const std::vector<Variant>& variants) {
  return simulate(script, job, kWholeChain, {}, variants);
}

TEST(RulerVariants, TheirSavingsAreFoundWithTheirIntervals) {
  Script script = two_groups();
  script.noise.normal_s = 0.004;
  script.noise.drift_ratio_per_s = 0.0005;
  int covered = 0;
  constexpr int kRuns = 60;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    script.noise.seed = seed;
    Job job;
    job.seed = seed;
    const auto savings = variant_savings(simulate_variants(script, job, kTwo).profile);
    ASSERT_EQ(savings.size(), 2U);
    EXPECT_EQ(savings[0].variant, kTwo[0]);
    for (const VariantSaving& saving : savings) {
      const double truth_s = script.saves_s.at(saving.variant.name);
      EXPECT_NEAR(saving.saved.s, truth_s, 0.006);
      covered += saving.saved.low_s <= truth_s && truth_s <= saving.saved.high_s;
    }
  }
  EXPECT_GE(covered, 0.88 * 2 * kRuns);
}

TEST(RulerVariants, AreAppliedBeforeAWindowIsEnteredAndUndoneAfterIt) {
  const SimulatedRun run = simulate_variants(two_groups(), {}, {kTwo[0]});
  const std::vector<std::string>& calls = run.ranks[0].calls;
  const auto first = std::ranges::find(calls, "apply off:dp");
  ASSERT_LT(first + 10, calls.end());
  EXPECT_EQ(first[1], "prepare");
  EXPECT_TRUE(first[2].starts_with("enter joined ")) << first[2];
  EXPECT_EQ(first[9], "leave");
  EXPECT_EQ(first[10], "undo");
  EXPECT_EQ(std::ranges::count(calls, "apply off:dp"), std::ranges::count(calls, "undo"));
}

TEST(RulerVariants, TheChainIsMeasuredAsWithoutThem) {
  const Profile with = simulate_variants(two_groups(), {}, kTwo).profile;
  const Profile without = simulate(two_groups(), {}).profile;
  EXPECT_EQ(with.windows.size(), without.windows.size());
  const Ledger ledger = attribute(with);
  for (const Part part : kParts) EXPECT_NEAR(ledger[part]->s, attribute(without)[part]->s, 1e-4) << to_string(part);
  for (const Window& window : with.windows) EXPECT_TRUE(window.variant.empty());
  EXPECT_TRUE(std::ranges::all_of(with.traces, [&](const WindowTrace& trace) { return trace.round == 1; }));
  EXPECT_EQ(with.traces.size(), kWholeChain.size()) << "variants are not traced";
}

// Many of them take turns, so that a round stays short.
TEST(RulerVariants, TakeTurnsWhereTheyWouldMakeRoundsLong) {
  Script script;
  std::vector<Variant> many;
  for (int i = 0; i < 12; ++i) {
    many.push_back({Condition::joined, "off:" + std::to_string(i)});
    script.saves_s[many.back().name] = 0.001 * i;
  }
  const SimulatedRun run = simulate_variants(script, {}, many);
  std::map<std::string, int> visits;
  std::map<int, int> in_round;
  for (const Window& window : run.profile.variant_windows) {
    ++visits[window.variant];
    ++in_round[window.round];
  }
  ASSERT_EQ(visits.size(), many.size());
  for (const auto& [name, count] : visits) EXPECT_GE(count, 3) << name;
  for (const auto& [round, count] : in_round) EXPECT_LE(count, 6) << round;
  const double plain_s = simulate(script, {}).ranks[0].round_s;
  EXPECT_LT(run.ranks[0].round_s, 1.6 * plain_s);
  EXPECT_EQ(variant_savings(run.profile).size(), many.size());
}

TEST(RulerVariants, EndWithTheTime) {
  Job job;
  job.max_time_s = 1;
  const SimulatedRun run = simulate_variants(two_groups(), job, kTwo);
  EXPECT_EQ(run.profile.stopped_by, StoppedBy::time);
  EXPECT_EQ(run.profile.windows.size(), kFewestRounds * kWholeChain.size());
}

TEST(RulerVariants, OneThatARankCannotMakeIsDroppedOnAll) {
  Script script = two_groups();
  script.ranks = 3;
  script.refuses = {1, "off:dp"};
  const SimulatedRun run = simulate_variants(script, {}, kTwo);
  EXPECT_EQ(run.ranks[1].dropped, std::vector<std::string>{"off:dp: it cannot"});
  EXPECT_TRUE(run.ranks[0].dropped.empty());
  for (const SimulatedRank& rank : run.ranks) {
    EXPECT_EQ(std::ranges::count(rank.pilot_calls, "apply off:dp"), 1);
    EXPECT_EQ(std::ranges::count(rank.calls, "apply off:dp"), 0);
  }
  ASSERT_EQ(variant_savings(run.profile).size(), 1U);
  EXPECT_EQ(run.profile.stopped_by, StoppedBy::precision);
}

// Edges cost a shorter step more; a variant's window has as many steps as its own step needs.
TEST(RulerVariants, ShortStepsGetMoreOfThem) {
  Script script;
  script.saves_s = {{"off:dp", 0.1}};  // of 145 ms
  const SimulatedRun run = simulate_variants(script, {}, {kTwo[0]});
  const int plain = run.profile.windows[0].steps;
  ASSERT_FALSE(run.profile.variant_windows.empty());
  EXPECT_GT(run.profile.variant_windows[0].steps, 2 * plain);
}

}  // namespace
}  // namespace stash
