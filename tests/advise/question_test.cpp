#include "stash/advise/question.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../core/contains.h"
#include "advise_fixture.h"
#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {

namespace {

std::string fault_of(const AdviceQuestion& question) {
  return message_of<UsageError>([&] { check_question(question); });
}

}  // namespace

TEST(AdviceQuestion, ValuesOutOfRangeNameTheirFlagAndAValidSpelling) {
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    AdviceQuestion question = testing_support::hours_question();
    question.epochs = bad;
    EXPECT_CONTAINS(fault_of(question), "--epochs is ");
    EXPECT_CONTAINS(fault_of(question), "like 90");
    question = testing_support::hours_question();
    question.samples = bad;
    EXPECT_CONTAINS(fault_of(question), "--samples is ");
    question = testing_support::hours_question();
    question.deadline_s = bad;
    EXPECT_CONTAINS(fault_of(question), "--deadline is ");
    question = testing_support::hours_question();
    question.budget_usd = bad;
    EXPECT_CONTAINS(fault_of(question), "--budget is ");
    question = testing_support::hours_question();
    question.interruptions_per_h = bad;
    EXPECT_CONTAINS(fault_of(question), "--interruptions-per-hour is ");
    question = testing_support::hours_question();
    question.restart_s = bad;
    EXPECT_CONTAINS(fault_of(question), "--restart is ");
    question = testing_support::hours_question();
    question.startup_s = bad;
    EXPECT_CONTAINS(fault_of(question), "--startup is ");
    question = testing_support::hours_question();
    question.storage_usd_per_h = bad;
    EXPECT_CONTAINS(fault_of(question), "--storage-usd-per-hour is ");
  }
  EXPECT_NO_THROW(check_question(testing_support::hours_question()));
}

TEST(AdviceQuestion, ProbabilityIsAPercentageThatIntervalsSaySomethingAbout) {
  AdviceQuestion question = testing_support::hours_question();
  for (const double bad : {0.0, 0.009, 1.0, -0.5, std::nan("")}) {
    question.sure_ratio = bad;
    EXPECT_CONTAINS(fault_of(question), "it takes a percentage from 1 to 99.9, like 90");
  }
  question.sure_ratio = 0.999;
  EXPECT_NO_THROW(check_question(question));
}

TEST(AdviceQuestion, ZeroIsNoTrainingButFreeStorage) {
  AdviceQuestion question = testing_support::hours_question();
  question.storage_usd_per_h = 0;
  EXPECT_NO_THROW(check_question(question));
  question.epochs = 0;
  EXPECT_CONTAINS(fault_of(question), "--epochs is 0");
}

}  // namespace stash
