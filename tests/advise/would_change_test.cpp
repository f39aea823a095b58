#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "../core/contains.h"
#include "advise_fixture.h"
#include "support/any_contains.h"

namespace stash {

namespace {

using namespace testing_support;

// The number behind `before` in the sentence that begins with `start`; 0: there is none.
double figure(const Advice& advice, const std::string& start, const std::string& before) {
  for (const std::string& sentence : advice.would_change) {
    const std::size_t place = sentence.find(before);
    if (sentence.starts_with(start) && place != std::string::npos) {
      return std::strtod(sentence.c_str() + place + before.size(), nullptr);
    }
  }
  return 0;
}

std::vector<Prediction> with_price(std::vector<Prediction> predictions, const std::string& instance, double usd_per_h) {
  for (Prediction& prediction : predictions) {
    if (prediction.instance == instance) prediction.usd_per_h = usd_per_h * prediction.nodes;
  }
  return predictions;
}

std::vector<Prediction> with_steps(std::vector<Prediction> predictions, const std::string& instance, double ratio) {
  for (Prediction& prediction : predictions) {
    Estimate& step = prediction.ledger.step;
    if (prediction.instance == instance) step = {step.s * ratio, step.low_s * ratio, step.high_s * ratio};
  }
  return predictions;
}

// The best by what counts alone, near-tie or not, of those that meet.
std::string best_instance(const AdviceQuestion& question, std::vector<Prediction> predictions) {
  const Advice advice = advice_for(question, std::move(predictions));
  const auto amount = [&](const Option& option) {
    if (!option.meets) return std::numeric_limits<double>::infinity();
    if (question.deadline_s) return *option.cost_usd;
    return question.budget_usd ? option.time_s : option.time_s * *option.cost_usd;
  };
  return std::ranges::min_element(advice.ranked, {}, amount)->prediction.instance;
}

std::vector<AdviceQuestion> questions() {
  AdviceQuestion neither = hours_question(), deadline = neither, budget = neither, both = neither;
  deadline.deadline_s = 45 * kHour;
  budget.budget_usd = 150;
  both.deadline_s = 15 * kHour;
  both.budget_usd = 230;
  std::vector<AdviceQuestion> all{neither, deadline, budget, both};
  for (AdviceQuestion& question : all) {
    question.startup_s = 600;
    question.storage_usd_per_h = 0.25;
  }
  return all;
}

}  // namespace

TEST(WouldChange, BelowThePriceNamedTheOtherIsFirstAndAboveItIsNot) {
  int checked = 0;
  for (const AdviceQuestion& question : questions()) {
    const Advice advice = advice_for(question, market());
    for (const std::string other : {"cheap", "middle", "fast", "slow", "waste"}) {
      const double price = figure(advice, other + " would be the", "below $");
      if (price == 0) continue;
      EXPECT_EQ(best_instance(question, with_price(market(), other, price - 0.001)), other);
      EXPECT_NE(best_instance(question, with_price(market(), other, price + 0.011)), other);
      ++checked;
    }
  }
  EXPECT_GE(checked, 5);
}

TEST(WouldChange, FirstStaysFirstUpToThePriceNamed) {
  int checked = 0;
  for (const AdviceQuestion& question : questions()) {
    const Advice advice = advice_for(question, market());
    const std::string first = advice.ranked[0].prediction.instance;
    const double price = figure(advice, first + " stays ahead of", "up to $");
    if (price == 0) continue;
    EXPECT_EQ(best_instance(question, with_price(market(), first, price - 0.001)), first);
    EXPECT_NE(best_instance(question, with_price(market(), first, price + 0.011)), first);
    ++checked;
  }
  EXPECT_GE(checked, 3);
}

TEST(WouldChange, StepsThatMuchShorterPutTheOtherFirst) {
  int checked = 0;
  for (const AdviceQuestion& question : questions()) {
    const Advice advice = advice_for(question, market());
    for (const std::string other : {"cheap", "middle", "fast", "slow", "waste"}) {
      const double percent = figure(advice, other + " would be the", "steps ");
      if (percent == 0) continue;
      EXPECT_EQ(best_instance(question, with_steps(market(), other, 1 - (percent + 1) / 100)), other);
      EXPECT_NE(best_instance(question, with_steps(market(), other, 1 - (percent - 1) / 100)), other);
      ++checked;
    }
  }
  EXPECT_GE(checked, 4);
}

TEST(WouldChange, FirstStaysFirstWithStepsUpToThatMuchLonger) {
  int checked = 0;
  for (const AdviceQuestion& question : questions()) {
    const Advice advice = advice_for(question, market());
    const std::string first = advice.ranked[0].prediction.instance;
    const double percent = figure(advice, first + " stays ahead of", "steps up to ");
    if (percent == 0) continue;
    EXPECT_EQ(best_instance(question, with_steps(market(), first, 1 + (percent - 1) / 100)), first);
    EXPECT_NE(best_instance(question, with_steps(market(), first, 1 + (percent + 1) / 100)), first);
    ++checked;
  }
  EXPECT_GE(checked, 3);
}

TEST(WouldChange, LongerDeadlineThatSavesMoneyIsNamed) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 15 * kHour;
  const Advice advice = advice_for(question, market());
  EXPECT_TRUE(any_contains(advice.would_change, "with a deadline of 21.3 h instead of 15.0 h: 1 x middle for $100"));
  question.deadline_s = 21.3 * kHour;
  EXPECT_EQ(name_of_first(advice_for(question, market())), "1 x middle");
}

TEST(WouldChange, DeadlineNamedIsNotRoundedBelowWhatItTakes) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 15 * kHour;
  const Advice advice = advice_for(question, {machine("a", 1, 10, 20), machine("b", 1, 20.05, 5)});
  EXPECT_TRUE(any_contains(advice.would_change, "with a deadline of 21.4 h instead of"));
}

TEST(WouldChange, LargerBudgetThatSavesTimeIsNamed) {
  AdviceQuestion question = hours_question();
  question.budget_usd = 210;
  EXPECT_TRUE(any_contains(advice_for(question, market()).would_change,
                           "with a budget of $213 instead of $210: 1 x fast in 10.0 h"));
  question.budget_usd = 213;
  EXPECT_EQ(name_of_first(advice_for(question, market())), "1 x fast");
}

TEST(WouldChange, RiskThatSavesIsNamed) {
  AdviceQuestion question = hours_question();
  question.budget_usd = 210;
  EXPECT_TRUE(any_contains(advice_for(question, market()).would_change,
                           "with 84 % probability instead of 90 %: 1 x fast in 10.0 h"));
  question.sure_ratio = 0.84;
  EXPECT_EQ(name_of_first(advice_for(question, market())), "1 x fast");
}

TEST(WouldChange, NearTiesOfTheFirstAreNotNamed) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 15 * kHour;
  const Advice advice =
      advice_for(question, {machine("a", 2, 10, 20), machine("b", 1, 10, 20.1), machine("far", 1, 10, 30)});
  EXPECT_EQ(name_of_first(advice), "1 x b");
  EXPECT_FALSE(any_contains(advice.would_change, "a would be the cheapest"));
  EXPECT_TRUE(any_contains(advice.would_change, "far would be the cheapest below $20.00/h"));
  EXPECT_TRUE(any_contains(advice.would_change, "b stays ahead of 1 x far up to $30.00/h"));
}

TEST(WouldChange, SpotPriceThatWouldDoIsMentioned) {
  std::vector<Prediction> predictions{machine("a", 1, 10, 10), machine("b", 1, 10, 12)};
  predictions[1].spot_usd_per_h = 4;
  const Advice advice = advice_for(hours_question(), predictions);
  EXPECT_TRUE(
      any_contains(advice.would_change, "b would be the best below $10.00/h (now $12.00; its spot price is $4.00)"));
}

TEST(WouldTake, DeadlineThatNothingMeetsNamesTheClosestAndTheFactor) {
  AdviceQuestion question = hours_question();
  question.epochs = 10;
  question.deadline_s = 40 * kHour;
  const Advice advice = advice_for(question, market());
  EXPECT_FALSE(advice.best);
  EXPECT_EQ(name_of_first(advice), "2 x fast");
  EXPECT_TRUE(
      any_contains(advice.would_change,
                   "2 x fast takes up to 63.9 h with 90 % probability: it would have to be 1.60 times as fast for "
                   "40.0 h"));
  EXPECT_TRUE(any_contains(advice.would_change, "2 x fast finishes 6 of the 10 epochs within that"));
  EXPECT_TRUE(any_contains(advice.would_change, "no more nodes than 2 were tried"));
}

TEST(WouldTake, FactorNamedIsEnough) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 5.5 * kHour;
  std::vector<Prediction> predictions = market();
  EXPECT_FALSE(advice_for(question, predictions).best);
  const double factor = figure(advice_for(question, predictions), "2 x fast takes", "to be ");
  ASSERT_GT(factor, 1);
  EXPECT_TRUE(advice_for(question, with_steps(predictions, "fast", 1 / factor)).best);
}

TEST(WouldTake, BudgetThatNothingFitsNamesThePriceItWouldTake) {
  AdviceQuestion question = hours_question();
  question.budget_usd = 60;
  const Advice advice = advice_for(question, market());
  EXPECT_FALSE(advice.best);
  EXPECT_EQ(name_of_first(advice), "1 x cheap");
  const double price = figure(advice, "1 x cheap costs up to $85.15 with 90 % probability, 1.42 times", "to cost $");
  EXPECT_DOUBLE_EQ(price, 1.4);
  EXPECT_TRUE(advice_for(question, with_price(market(), "cheap", price)).best);
}

TEST(WouldTake, DeadlineAndBudgetThatExcludeEachOtherAreSaidOneByOne) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 15 * kHour;
  question.budget_usd = 120;
  const Advice advice = advice_for(question, market());
  EXPECT_FALSE(advice.best);
  EXPECT_TRUE(any_contains(advice.would_change, "within the deadline the cheapest is 1 x fast for $200"));
  EXPECT_TRUE(any_contains(advice.would_change, "within the budget the fastest is 1 x middle in 20.0 h"));
}

}  // namespace stash
