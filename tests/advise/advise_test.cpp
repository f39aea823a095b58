#include "stash/advise/advise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "advise_fixture.h"
#include "stash/core/error.h"
#include "support/any_contains.h"

namespace stash {

namespace {

using namespace testing_support;

std::set<std::string> front_of(const Advice& advice) {
  std::set<std::string> names;
  for (const Option& option : advice.ranked) {
    if (option.on_front) names.insert(std::to_string(option.prediction.nodes) + option.prediction.instance);
  }
  return names;
}

std::string why(const Advice& advice, const std::string& instance) {
  for (const Rejected& row : advice.rejected) {
    if (row.instance == instance) return row.why;
  }
  return "";
}

}  // namespace

TEST(Advise, TimeAndCostAreThoseOfTheWholeTraining) {
  AdviceQuestion question = hours_question();
  question.epochs = 3;
  question.startup_s = kHour / 2;
  question.storage_usd_per_h = 1;
  Prediction prediction = machine("a", 1, 4, 9);
  prediction.ledger[Part::compute] = {3, 3, 3};
  prediction.ledger[Part::fetch] = {1, 1, 1};
  prediction.ledger.steady_fetch = SteadyFetch{{0.25, 0.25, 0.25}, 0.75};
  const Advice advice = advice_for(question, {prediction});
  const Option& option = advice.ranked.at(0);
  // Half an hour of start-up, 4 hours for the first epoch, 3.25 for each of the others.
  EXPECT_NEAR(option.time_s, 11 * kHour, 1e-6);
  EXPECT_NEAR(*option.cost_usd, 110, 1e-9);
  EXPECT_NEAR(option.time_low_s, (0.5 + 10.5 / 1.1) * kHour, 1e-6);
  EXPECT_NEAR(option.time_high_s, (0.5 + 10.5 * 1.1) * kHour, 1e-6);
  EXPECT_NEAR(*option.cost_high_usd, option.time_high_s / kHour * 10, 1e-9);
  EXPECT_NEAR(*option.prediction.epoch_s, 3.25 * kHour, 1e-6);
  EXPECT_NEAR(*option.prediction.epoch_usd, 3.25 * 9, 1e-9);
}

TEST(Advise, EpochsThatWerePredictedAreTakenAsTheyAre) {
  AdviceQuestion question = hours_question();
  question.epochs = 2;
  Prediction prediction = machine("a", 1, 4, 9);
  prediction.epoch_s = 100;
  prediction.first_epoch_s = 150;
  EXPECT_DOUBLE_EQ(advice_for(question, {prediction}).ranked.at(0).time_s, 250);
}

TEST(Advise, PartOfAnEpochTakesThatPart) {
  AdviceQuestion question = hours_question();
  question.epochs = 0.5;
  EXPECT_DOUBLE_EQ(advice_for(question, {machine("a", 1, 4, 9)}).ranked.at(0).time_s, 2 * kHour);
}

TEST(Advise, LastBatchOfAnEpochMayBePartlyFilled) {
  AdviceQuestion question = hours_question();
  question.samples = 101;
  Prediction prediction = machine("a", 1, 1, 9);
  prediction.gpus = 2;
  prediction.batch = 5;
  EXPECT_DOUBLE_EQ(advice_for(question, {prediction}).ranked.at(0).time_s, 11);
}

TEST(Advise, FrontHoldsWhatNoOtherBeatsInBoth) {
  EXPECT_EQ(front_of(advice_for(hours_question(), market())),
            (std::set<std::string>{"1cheap", "1middle", "1fast", "2fast"}));
}

TEST(Advise, EqualOptionsAreOnTheFrontTogether) {
  const Advice advice = advice_for(hours_question(), {machine("a", 1, 4, 9), machine("b", 1, 4, 9)});
  EXPECT_EQ(front_of(advice), (std::set<std::string>{"1a", "1b"}));
}

TEST(Advise, DeadlineIsMetAsCheaplyAsPossible) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 15 * kHour;
  const Advice advice = advice_for(question, market());
  EXPECT_EQ(name_of_first(advice), "1 x fast");
  EXPECT_EQ(advice.best, 0u);
  EXPECT_TRUE(advice.ranked[2].meets);
  EXPECT_FALSE(advice.ranked[3].meets);
  EXPECT_EQ(advice.ranked[3].prediction.instance, "middle");  // 20 h: the closest of those that are too late
}

TEST(Advise, BudgetIsSpentAsFastAsPossible) {
  AdviceQuestion question = hours_question();
  question.budget_usd = 215;
  const Advice advice = advice_for(question, market());
  EXPECT_EQ(name_of_first(advice), "1 x fast");
  EXPECT_EQ(advice.ranked[1].prediction.instance, "middle");
}

TEST(Advise, DeadlineAndBudgetGiveTheCheapestThatMeetsBoth) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 45 * kHour;
  question.budget_usd = 210;
  EXPECT_EQ(name_of_first(advice_for(question, market())), "1 x cheap");
}

TEST(Advise, WithoutEitherTheSmallestProductOfTimeAndCostIsFirst) {
  // 6 h x $240 = 1,440, 10 h x $200 = 2,000, 20 h x $100 = 2,000.
  const Advice advice = advice_for(hours_question(), market());
  EXPECT_EQ(name_of_first(advice), "2 x fast");
  EXPECT_TRUE(advice.ranked.front().on_front);
  EXPECT_TRUE(any_contains(advice.notes, "product of time and cost"));
}

TEST(Advise, WhatIsEqualIsOrderedByName) {
  std::vector<Prediction> predictions{machine("b", 1, 4, 9), machine("a", 1, 4, 9), machine("a", 2, 4, 9),
                                      machine("c", 1, 2, 9)};
  const Advice advice = advice_for(hours_question(), predictions);
  std::ranges::reverse(predictions);
  const Advice again = advice_for(hours_question(), predictions);
  ASSERT_EQ(advice.ranked.size(), again.ranked.size());
  for (std::size_t i = 0; i < advice.ranked.size(); ++i) {
    EXPECT_EQ(advice.ranked[i].prediction.instance, again.ranked[i].prediction.instance);
    EXPECT_EQ(advice.ranked[i].prediction.nodes, again.ranked[i].prediction.nodes);
    EXPECT_EQ(advice.ranked[i].first_ratio, again.ranked[i].first_ratio);
  }
  EXPECT_EQ(advice.ranked[1].prediction.instance, "a");
  EXPECT_EQ(advice.ranked[1].prediction.nodes, 1);
  EXPECT_EQ(advice.ranked[2].prediction.instance, "b");
  EXPECT_EQ(advice.ranked[3].prediction.nodes, 2);
}

TEST(Advise, MachineWithoutAPriceIsRejectedBesideThoseThatHaveOne) {
  std::vector<Prediction> predictions = market();
  predictions.push_back(without_price(machine("mystery", 1, 3, 1)));
  const Advice advice = advice_for(hours_question(), predictions);
  EXPECT_EQ(advice.ranked.size(), 6u);
  EXPECT_EQ(why(advice, "mystery").find("its price is not known: "), 0u);
  EXPECT_TRUE(any_contains(advice.notes, "without a price, and so not ranked: 1 x mystery would take 3.00 h"));
}

TEST(Advise, WithoutAnyPriceTheFastestIsFirst) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 15 * kHour;
  const Advice advice =
      advice_for(question, {without_price(machine("a", 1, 4, 1)), without_price(machine("b", 1, 3, 1))});
  EXPECT_EQ(name_of_first(advice), "1 x b");
  EXPECT_EQ(advice.best, 0u);
  EXPECT_FALSE(advice.ranked[0].cost_usd);
  EXPECT_TRUE(advice.would_change.empty());
  EXPECT_TRUE(any_contains(advice.notes, "no price is known"));
}

TEST(Advise, OwnMachinesAreTriedAgainstTheDeadlineAndHaveNoCost) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 4.1 * kHour;
  const Advice advice =
      advice_for(question, {without_price(machine("a", 1, 4, 1)), without_price(machine("b", 1, 3, 1))});
  EXPECT_EQ(name_of_first(advice), "1 x b");
  ASSERT_EQ(advice.ranked.size(), 2u);
  EXPECT_FALSE(advice.ranked[1].meets);
  EXPECT_FALSE(advice.ranked[1].cost_low_usd);
}

TEST(Advise, MachineWithoutAPriceIsRejectedOnceAndNamedWithTheFewestNodesThatMeetTheDeadline) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 15 * kHour;
  std::vector<Prediction> predictions = market();
  for (const int nodes : {1, 2, 4}) predictions.push_back(without_price(machine("own", nodes, 24.0 / nodes, 1)));
  const Advice advice = advice_for(question, predictions);
  EXPECT_EQ(advice.rejected.size(), 1u);
  EXPECT_TRUE(any_contains(advice.notes, "2 x own would take 12.0 h"));
}

TEST(Advise, BudgetWithoutAnyPriceRejectsAll) {
  AdviceQuestion question = hours_question();
  question.budget_usd = 100;
  const Advice advice = advice_for(question, {without_price(machine("a", 1, 4, 1))});
  EXPECT_TRUE(advice.ranked.empty());
  EXPECT_FALSE(advice.best);
  EXPECT_EQ(advice.rejected.size(), 1u);
}

TEST(Advise, RejectedOnesAreHandedOn) {
  const Advice advice = advise(hours_question(), {market(), {{"aws", "p2.xlarge", 3, "too small"}}});
  ASSERT_EQ(advice.rejected.size(), 1u);
  EXPECT_EQ(advice.rejected[0].nodes, 3);
}

TEST(Advise, NothingToChooseFromIsAnError) { EXPECT_THROW(advice_for(hours_question(), {}), Error); }

TEST(Advise, OddFiguresAreRejectedWithAReason) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  std::vector<Prediction> odd{machine("zero", 1, 0, 1),           machine("endless", 1, kInfinite, 1),
                              machine("nan", 1, std::nan(""), 1), machine("negative", 1, -1, 1),
                              machine("free", 1, 1, 0),           machine("gift", 1, 1, -2),
                              machine("dear", 1, 1, kInfinite),   machine("eons", 1, 1e200, 1e200),
                              machine("wide", 1, 1, 1),           machine("empty", 1, 1, 1),
                              machine("nodeless", 0, 1, 1)};
  odd[8].ledger.step.high_s = kInfinite;
  odd[9].batch = 0;
  const std::size_t count = odd.size();
  odd.push_back(machine("sound", 1, 1, 1));
  const Advice advice = advice_for(hours_question(), odd);
  EXPECT_EQ(advice.ranked.size(), 1u);
  EXPECT_EQ(name_of_first(advice), "1 x sound");
  ASSERT_EQ(advice.rejected.size(), count);
  for (const Rejected& row : advice.rejected) EXPECT_FALSE(row.why.empty()) << row.instance;
  EXPECT_EQ(why(advice, "zero"), "its predicted step time of 0 s is invalid");
  EXPECT_EQ(why(advice, "gift"), "its price of $-2 per hour is invalid");
}

TEST(Advise, IntervalThatHoldsNoTimeIsCutNotBelieved) {
  Prediction prediction = machine("a", 1, 2, 1);
  prediction.ledger.step = {2, -1, 1.5};
  const Advice advice = advice_for(hours_question(), {prediction});
  EXPECT_GT(advice.ranked.at(0).time_low_s, 0);
  EXPECT_EQ(advice.ranked.at(0).time_high_s, advice.ranked.at(0).time_s);
}

}  // namespace stash
