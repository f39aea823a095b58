#include <gtest/gtest.h>

#include "advise_fixture.h"

namespace stash {

namespace {

using namespace testing_support;

AdviceQuestion spot_question() {
  AdviceQuestion question = hours_question();
  question.spot = true;
  question.interruptions_per_h = 0.1;
  question.restart_s = kHour / 2;
  return question;
}

Prediction spot_machine(int nodes, double hours) {
  Prediction prediction = machine("a", nodes, hours, 9);
  prediction.spot_usd_per_h = 3;
  return prediction;
}

}  // namespace

TEST(Spot, InterruptionsAlsoComeDuringTheTimeThatTheyCost) {
  const Advice advice = advice_for(spot_question(), {spot_machine(1, 19)});
  const Option& option = advice.ranked.at(0);
  // 20 h with 2 interruptions of half an hour: 19 h of work.
  EXPECT_NEAR(option.time_s, 20 * kHour, 1e-6);
  EXPECT_NEAR(option.interruptions, 2, 1e-9);
  EXPECT_NEAR(*option.cost_usd, 60, 1e-9);
  EXPECT_NEAR(option.time_s, 19 * kHour + option.interruptions * kHour / 2, 1e-6);
}

TEST(Spot, MoreMachinesAreInterruptedMoreOften) {
  const Advice advice = advice_for(spot_question(), {spot_machine(4, 16)});
  EXPECT_NEAR(advice.ranked.at(0).time_s, 20 * kHour, 1e-6);
  EXPECT_NEAR(advice.ranked.at(0).interruptions, 8, 1e-9);
}

TEST(Spot, WhatIsInterruptedFasterThanItRestartsNeverFinishes) {
  const Advice advice = advice_for(spot_question(), {spot_machine(20, 1)});
  EXPECT_TRUE(advice.ranked.empty());
  EXPECT_NE(advice.rejected.at(0).why.find("never finishes"), std::string::npos);
}

TEST(Spot, OnDemandMachinesAreNotInterrupted) {
  AdviceQuestion question = spot_question();
  question.spot = false;
  const Advice advice = advice_for(question, {spot_machine(1, 19)});
  EXPECT_DOUBLE_EQ(advice.ranked.at(0).time_s, 19 * kHour);
  EXPECT_DOUBLE_EQ(*advice.ranked.at(0).cost_usd, 19 * 9);
  EXPECT_EQ(advice.ranked.at(0).interruptions, 0);
}

TEST(Spot, MachineWithoutASpotPriceIsRejectedAsSuch) {
  const Advice advice = advice_for(spot_question(), {spot_machine(1, 19), machine("b", 1, 1, 1)});
  EXPECT_EQ(advice.ranked.size(), 1u);
  EXPECT_EQ(advice.rejected.at(0).why.find("its spot price is not known"), 0u);
}

}  // namespace stash
