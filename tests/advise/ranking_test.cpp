#include "stash/advise/ranking.h"

#include <gtest/gtest.h>

#include <cmath>

#include "advise_fixture.h"
#include "stash/core/statistics.h"

namespace stash {

namespace {

using namespace testing_support;

AdviceQuestion day_question() {
  AdviceQuestion question = hours_question();
  question.deadline_s = 24 * kHour;
  return question;
}

struct Range {
  double low, high;
};

Prediction known_within(Range hours, int gpus, Prediction prediction) {
  prediction.epoch_s = prediction.first_epoch_s = prediction.ledger.step.s * kHour;
  prediction.gpus = gpus;
  prediction.ledger.step.low_s = hours.low;
  prediction.ledger.step.high_s = hours.high;
  prediction.ledger[Part::compute] = prediction.ledger.step;
  return prediction;
}

// ResNet-50 for 90 epochs, as it was predicted when seven g2-standard-4 were advised.
std::vector<Prediction> g2_and_g5() {
  return {known_within({16.19, 41.82}, 7, machine("g2-standard-4", 7, 22.09, 4.93164, "L4")),
          known_within({11.76, 29.35}, 10, machine("g2-standard-4", 10, 15.51, 7.0452, "L4")),
          known_within({10.14, 37.46}, 4, machine("g5.12xlarge", 1, 19.41, 5.672, "A10G")),
          known_within({5.17, 18.83}, 8, machine("g5.12xlarge", 2, 9.81, 11.344, "A10G")),
          known_within({2.70, 9.87}, 8, machine("p4d.24xlarge", 1, 5.133, 21.957642, "A100"))};
}

// Of the instances, as "nodes x instance", of one group.
std::vector<std::string> group_of(const Advice& advice, int group) {
  std::vector<std::string> names;
  for (const Option& option : advice.ranked) {
    if (option.group == group) names.push_back(name_of(option.prediction));
  }
  return names;
}

}  // namespace

TEST(Ranking, SevenG2Standard4AreNotAdvisedWhereOneG512xlargeCostsAsMuch) {
  AdviceQuestion question = day_question();
  const Advice usual = advice_for(question, g2_and_g5());
  EXPECT_EQ(name_of_first(usual), "1 x p4d.24xlarge");  // $113 against $109, and sure
  EXPECT_GT(*usual.ranked[0].meets_ratio, 0.99);
  EXPECT_EQ(group_of(usual, 1),
            (std::vector<std::string>{"1 x p4d.24xlarge", "2 x g5.12xlarge", "10 x g2-standard-4"}));
  question.sure_ratio = 0.5;
  const Advice risky = advice_for(question, g2_and_g5());
  EXPECT_EQ(name_of_first(risky), "1 x g5.12xlarge");
  EXPECT_EQ(risky.ranked.at(*risky.surer).prediction.instance, "p4d.24xlarge");
}

TEST(Ranking, CheapestThatIsSureComesBeforeWhatIsCheaperAndLessSure) {
  const Advice advice = advice_for(
      day_question(), {machine("risky", 1, 23.9, 1), machine("sure", 1, 12, 10), machine("dear", 1, 10, 20)});
  EXPECT_EQ(name_of_first(advice), "1 x sure");
  EXPECT_TRUE(advice.ranked[1].meets);
  EXPECT_EQ(advice.ranked[2].prediction.instance, "risky");
  EXPECT_FALSE(advice.ranked[2].meets);
  EXPECT_NEAR(*advice.ranked[2].meets_ratio, normal_below(std::log(24 / 23.9) / std::log(1.1) * kNormalQuantile975),
              1e-6);
}

TEST(Ranking, LessThanOnePercentIsANearTieHoweverCertain) {
  EXPECT_EQ(group_of(advice_for(day_question(), {machine("a", 2, 10, 10), machine("b", 1, 10, 10.09)}), 1),
            (std::vector<std::string>{"1 x b", "2 x a"}));
}

TEST(Ranking, ThreePercentIsANearTieWhereErrorsAreNotShared) {
  EXPECT_EQ(
      group_of(advice_for(day_question(), {machine("a", 2, 10, 10, "V100"), machine("b", 1, 10, 10.3, "A100")}), 1),
      (std::vector<std::string>{"1 x b", "2 x a"}));
}

TEST(Ranking, ThreePercentIsADifferenceWhereErrorsAreShared) {
  EXPECT_EQ(
      group_of(advice_for(day_question(), {machine("a", 2, 10, 10, "V100"), machine("b", 1, 10, 10.3, "V100")}), 1),
      (std::vector<std::string>{"2 x a"}));
}

TEST(Ranking, SixPercentIsADifferenceHoweverUncertain) {
  EXPECT_EQ(
      group_of(advice_for(day_question(), {machine("a", 2, 10, 10, "V100"), machine("b", 1, 10, 10.6, "A100")}), 1),
      (std::vector<std::string>{"2 x a"}));
}

TEST(Ranking, OfNearTiesWithAsManyMachinesTheOneWithTheFewestGpusIsFirst) {
  std::vector<Prediction> two{machine("eight", 1, 10, 10, "V100"), machine("four", 1, 10, 10.05, "V100")};
  two[0].gpus = 8;
  two[1].gpus = 4;
  AdviceQuestion question = day_question();
  question.samples *= 8;
  two[1].ledger.step = {5, 5 / 1.1, 5 * 1.1};
  const Advice advice = advice_for(question, two);
  EXPECT_EQ(group_of(advice, 1), (std::vector<std::string>{"1 x four", "1 x eight"}));
}

TEST(Ranking, GroupsAreNumberedFromTheBestOn) {
  const Advice advice = advice_for(day_question(), market());
  int last = 0;
  for (const Option& option : advice.ranked) {
    if (!option.group) continue;
    EXPECT_GE(*option.group, last);
    EXPECT_LE(*option.group, last + 1);
    last = *option.group;
  }
  EXPECT_GT(last, 1);
}

TEST(Ranking, MoreCertaintyIsNamedWhereTheFirstIsNotSurerStill) {
  const std::vector<Prediction> two{machine("tight", 1, 22.4, 5, "V100"), machine("safe", 1, 12, 20, "A100")};
  const Advice advice = advice_for(day_question(), two);
  EXPECT_EQ(name_of_first(advice), "1 x tight");
  ASSERT_TRUE(advice.surer);
  EXPECT_EQ(advice.ranked[*advice.surer].prediction.instance, "safe");
  EXPECT_FALSE(advice_for(day_question(), {two[0]}).surer);
  EXPECT_FALSE(advice_for(day_question(), {two[1]}).surer);
}

TEST(Ranking, DeadlineNamedWhereNothingIsSureIsJustEnough) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 5.5 * kHour;
  const Advice advice = advice_for(question, market());
  EXPECT_FALSE(advice.best);
  EXPECT_FALSE(advice.budget_needed);
  ASSERT_TRUE(advice.deadline_needed);
  EXPECT_EQ(name_of(advice.ranked[advice.deadline_needed->option].prediction), "2 x fast");
  question.deadline_s = advice.deadline_needed->amount + 1e-3;
  EXPECT_TRUE(advice_for(question, market()).best);
  question.deadline_s = advice.deadline_needed->amount - 1;
  EXPECT_FALSE(advice_for(question, market()).best);
}

TEST(Ranking, EitherMoreTimeOrMoreMoneyIsNamedWhereBothAreShort) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 15 * kHour;
  question.budget_usd = 120;
  const Advice advice = advice_for(question, market());
  ASSERT_TRUE(advice.deadline_needed && advice.budget_needed);
  AdviceQuestion longer = question, dearer = question;
  longer.deadline_s = advice.deadline_needed->amount + 1e-3;
  dearer.budget_usd = advice.budget_needed->amount + 1e-3;
  EXPECT_EQ(name_of_first(advice_for(longer, market())), "1 x middle");
  EXPECT_EQ(name_of_first(advice_for(dearer, market())), "1 x fast");
}

TEST(Ranking, WhereNothingIsSureTheMostProbableIsFirst) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 6.2 * kHour;
  std::vector<Prediction> predictions = market();
  predictions.push_back(machine("cheaper", 1, 6.3, 1));
  const Advice advice = advice_for(question, predictions);
  EXPECT_FALSE(advice.best);
  EXPECT_EQ(name_of_first(advice), "2 x fast");
  EXPECT_EQ(advice.ranked[1].prediction.instance, "cheaper");
}

TEST(Ranking, WithoutAGoalNearTiesHaveTheSameProduct) {
  const Advice advice = advice_for(hours_question(), {machine("a", 2, 10, 10), machine("b", 1, 10, 10.05)});
  EXPECT_EQ(group_of(advice, 1), (std::vector<std::string>{"1 x b", "2 x a"}));
  EXPECT_FALSE(advice.ranked[0].meets_ratio);
  EXPECT_FALSE(advice.surer);
}

}  // namespace stash
