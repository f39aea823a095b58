#include "stash/attribute/stopping.h"

#include <gtest/gtest.h>

#include "scripted.h"
#include "stash/attribute/attribute.h"

namespace stash {

namespace {

Ledger ledger_with(int rounds, double half_s) {
  Ledger ledger;
  ledger.rounds = rounds;
  ledger.step = {0.1, 0.099, 0.101};
  ledger[Part::compute] = Estimate{0.08, 0.0799, 0.0801};
  ledger[Part::prep] = Estimate{0.02, 0.02 - half_s, 0.02 + half_s};
  return ledger;
}

}  // namespace

TEST(Stopping, WaitsForTheWidestPart) {
  EXPECT_TRUE(precise_enough(ledger_with(5, 0.0019), 0.02));
  EXPECT_FALSE(precise_enough(ledger_with(5, 0.0021), 0.02));
  EXPECT_EQ(widest_interval(ledger_with(5, 0.0021)).part, Part::prep);
  EXPECT_NEAR(widest_interval(ledger_with(5, 0.0021)).half_width_s, 0.0021, 1e-12);
}

TEST(Stopping, NeverBelowTheFewestRounds) { EXPECT_FALSE(precise_enough(ledger_with(kMinRounds - 1, 0), 0.02)); }

TEST(Stopping, ARunIsPreciseAfterTheSecondNarrowRoundInARow) {
  PrecisionRule rule(0.02);
  EXPECT_FALSE(rule.met_after(ledger_with(5, 0.0019)));
  EXPECT_FALSE(rule.met_after(ledger_with(6, 0.0021)));
  EXPECT_FALSE(rule.met_after(ledger_with(7, 0.0019)));
  EXPECT_TRUE(rule.met_after(ledger_with(8, 0.0019)));
}

TEST(Stopping, ARunThatIsNarrowFromTheStartTakesTheFewestRounds) {
  PrecisionRule rule(0.02);
  EXPECT_FALSE(rule.met_after(ledger_with(kMinRounds - 2, 0.0001)));
  EXPECT_FALSE(rule.met_after(ledger_with(kMinRounds - 1, 0.0001)));
  EXPECT_TRUE(rule.met_after(ledger_with(kMinRounds, 0.0001)));
}

TEST(Stopping, TheIntervalThatRoundsWereNeededForClaimsNoMoreThanWasAskedFor) {
  Ledger ledger = ledger_with(9, 0.0018);
  keep_to_target(ledger, 0.02);
  EXPECT_NEAR(ledger[Part::prep]->low_s, 0.018, 1e-12);
  EXPECT_NEAR(ledger[Part::prep]->high_s, 0.022, 1e-12);
  EXPECT_EQ(ledger[Part::compute], ledger_with(9, 0.0018)[Part::compute]) << "nobody waited for this one";
  EXPECT_TRUE(precise_enough(ledger, 0.02));
}

TEST(Stopping, AStepThatIsAllComputeClaimsNoMoreThanCompute) {
  Ledger ledger;
  ledger.rounds = 9;
  ledger.step = {0.1, 0.0982, 0.1018};
  ledger[Part::compute] = ledger.step_by_condition[Condition::solo] = ledger.step;
  keep_to_target(ledger, 0.02);
  EXPECT_NEAR(ledger.step.low_s, 0.098, 1e-12);
  EXPECT_EQ(ledger[Part::compute], ledger.step);
  EXPECT_EQ(ledger.step_by_condition[Condition::solo], ledger.step);
}

TEST(Stopping, IntervalsThatNobodyWaitedForStay) {
  for (const Ledger& before : {ledger_with(kMinRounds, 0.0018), ledger_with(9, 0.0005), ledger_with(9, 0.0021)}) {
    Ledger ledger = before;
    keep_to_target(ledger, 0.02);
    EXPECT_EQ(ledger.parts, before.parts);
  }
}

TEST(Stopping, WithoutPartsTheStepCounts) {
  Ledger ledger;
  ledger.rounds = 5;
  ledger.step = {0.1, 0.09, 0.11};
  EXPECT_FALSE(widest_interval(ledger).part);
  EXPECT_FALSE(precise_enough(ledger, 0.02));
  EXPECT_TRUE(precise_enough(ledger, 0.1001));
}

TEST(Stopping, RoundsStillNeededGrowWithTheSquareOfTheWidth) {
  EXPECT_EQ(rounds_still_needed(ledger_with(20, 0.0019), 0.02), 0);
  EXPECT_EQ(rounds_still_needed(ledger_with(3, 0.0019), 0.02), 2);
  const int needed = *rounds_still_needed(ledger_with(20, 0.004), 0.02);
  EXPECT_GT(needed, 50);
  EXPECT_LT(needed, 60);
  EXPECT_FALSE(rounds_still_needed(ledger_with(20, 1.0), 0.001));
}

TEST(Stopping, TheEstimateOfRoundsIsAboutRight) {
  testing_support::Script script;
  script.noise.normal_s = 0.004;
  testing_support::ScriptedProfile scripted(script, 3);
  Ledger ledger = attribute(scripted.add_rounds(8).profile());
  const int expected = 8 + *rounds_still_needed(ledger, 0.02);
  while (!precise_enough(ledger, 0.02)) {
    scripted.add_round();
    ledger = attribute(scripted.profile());
  }
  EXPECT_GT(ledger.rounds, expected / 2);
  EXPECT_LT(ledger.rounds, expected * 2);
}

}  // namespace stash
