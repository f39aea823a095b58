#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "advise_fixture.h"
#include "stash/core/statistics.h"

namespace stash {

namespace {

using namespace testing_support;

double sum_of_first_ratios(const Advice& advice) {
  double sum = 0;
  for (const Option& option : advice.ranked) sum += option.first_ratio;
  return sum;
}

const Option& option_of(const Advice& advice, const std::string& instance) {
  for (const Option& option : advice.ranked) {
    if (option.prediction.instance == instance) return option;
  }
  throw std::runtime_error("no " + instance);
}

// A step that one of 4 h on another GPU beats with the probability that a normal deviate is below z; both are known
// within +-10 %.
double hours_behind(double z) { return 4 * std::exp(z * std::sqrt(2) * std::log(1.1) / kNormalQuantile975); }

}  // namespace

TEST(Certainty, SharesOfTheFirstPlaceSumToOne) {
  AdviceQuestion question = hours_question();
  EXPECT_NEAR(sum_of_first_ratios(advice_for(question, market())), 1, 1e-9);
  question.deadline_s = 11 * kHour;
  EXPECT_NEAR(sum_of_first_ratios(advice_for(question, market())), 1, 1e-9);
  question.deadline_s = 1;
  EXPECT_NEAR(sum_of_first_ratios(advice_for(question, market())), 1, 1e-9);
}

TEST(Certainty, IsTheSameForTheSameSeedAndNotForAnother) {
  AdviceQuestion question = hours_question();
  const std::vector<Prediction> two{machine("a", 1, 4, 9, "V100"), machine("b", 1, 4.01, 9, "A100")};
  const double first = advice_for(question, two).ranked[0].first_ratio;
  EXPECT_EQ(advice_for(question, two).ranked[0].first_ratio, first);
  question.seed = 2;
  EXPECT_NE(advice_for(question, two).ranked[0].first_ratio, first);
}

TEST(Certainty, NearTieOfTwoGpusIsHalfAndHalf) {
  const Advice advice =
      advice_for(hours_question(), {machine("a", 1, 4, 9, "V100"), machine("b", 1, 4.0001, 9, "A100")});
  EXPECT_NEAR(advice.ranked[0].first_ratio, 0.5, 0.12);
}

TEST(Certainty, ErrorOfAGpuIsSharedByItsMachines) {
  const Advice advice =
      advice_for(hours_question(), {machine("a", 1, 4, 9, "V100"), machine("b", 1, 4.0001, 9, "V100")});
  EXPECT_NEAR(advice.ranked[0].first_ratio, 1, 1e-9);
}

TEST(Certainty, ErrorOfLinksIsTheMachinesOwn) {
  std::vector<Prediction> two{machine("a", 1, 4, 9, "V100"), machine("b", 1, 4.0001, 9, "V100")};
  for (Prediction& prediction : two) prediction.ledger[Part::compute] = Estimate{1, 1, 1};
  EXPECT_NEAR(advice_for(hours_question(), two).ranked[0].first_ratio, 0.5, 0.12);
}

TEST(Certainty, OneOfTwoGpusIsFasterAsOftenAsTheirErrorsSay) {
  const std::vector<std::pair<double, double>> z_and_share{{0.5244, 0.7}, {0.8416, 0.8}, {1.2816, 0.9}};
  for (const auto& [z, share] : z_and_share) {
    const Advice advice =
        advice_for(hours_question(), {machine("a", 1, 4, 9, "V100"), machine("b", 1, hours_behind(z), 9, "A100")});
    EXPECT_NEAR(option_of(advice, "a").first_ratio, share, 0.025);
  }
}

TEST(Certainty, ErrorThatTheJobHasOnEveryGpuDoesNotDecideBetweenGpus) {
  std::vector<Prediction> two{machine("a", 1, 4, 9, "V100"), machine("b", 1, 4.0001, 9, "A100")};
  for (Prediction& prediction : two) prediction.job_error_ratio = 1;
  EXPECT_NEAR(option_of(advice_for(hours_question(), two), "a").first_ratio, 1, 1e-9);
}

TEST(Certainty, ErrorOfANetworkIsHalfSharedByItsCloud) {
  std::vector<Prediction> two{machine("a", 1, 4, 9), machine("b", 1, hours_behind(0.8416), 9)};
  for (Prediction& prediction : two) {
    prediction.ledger[Part::network] = prediction.ledger.step;
    prediction.ledger[Part::compute] = Estimate{1, 1, 1};
  }
  const double one_cloud = option_of(advice_for(hours_question(), two), "a").first_ratio;
  two[1].cloud = "google";
  const double two_clouds = option_of(advice_for(hours_question(), two), "a").first_ratio;
  EXPECT_NEAR(two_clouds, 0.8, 0.025);
  EXPECT_NEAR(one_cloud, 0.883, 0.025);  // z = 0.8416 x sqrt(2)
}

TEST(Certainty, EndOfTheIntervalIsPassedInOneOfFortyCases) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 4 * 1.1 * kHour;
  EXPECT_NEAR(*advice_for(question, {machine("a", 1, 4, 9)}).ranked[0].meets_ratio, 0.975, 1e-6);
  question.deadline_s = 4 / 1.1 * kHour;
  EXPECT_NEAR(*advice_for(question, {machine("a", 1, 4, 9)}).ranked[0].meets_ratio, 0.025, 1e-6);
}

TEST(Certainty, LopsidedIntervalKeepsThePredictedStepInTheMiddle) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 4 * kHour;
  Prediction prediction = machine("a", 1, 4, 9);
  prediction.ledger.step = {4, 3.9, 12};
  EXPECT_NEAR(*advice_for(question, {prediction}).ranked[0].meets_ratio, 0.5, 1e-6);
}

TEST(Certainty, TightDeadlineMakesADearerMachineTheSaferOne) {
  AdviceQuestion question = hours_question();
  question.deadline_s = 4.05 * kHour;
  const Advice advice = advice_for(question, {machine("tight", 1, 4, 5, "V100"), machine("safe", 1, 2, 20, "A100")});
  EXPECT_EQ(name_of_first(advice), "1 x safe");
  EXPECT_GT(option_of(advice, "safe").first_ratio, 0.2);
  EXPECT_LT(*option_of(advice, "tight").meets_ratio, 0.8);
  EXPECT_NEAR(*option_of(advice, "safe").meets_ratio, 1, 1e-9);
}

TEST(Certainty, AnotherMachineLeavesTheDrawsOfTheOthersAlone) {
  std::vector<Prediction> predictions{machine("a", 1, 4, 9, "V100"), machine("b", 1, 4.1, 9, "A100")};
  const double before = option_of(advice_for(hours_question(), predictions), "a").first_ratio;
  predictions.insert(predictions.begin(), machine("other", 3, 100, 5, "T4"));
  EXPECT_EQ(option_of(advice_for(hours_question(), predictions), "a").first_ratio, before);
}

}  // namespace stash
