#include "stash/cli/flags/advise_flags.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "../core/contains.h"
#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {

namespace {

AdviseFlags flags_of(const std::string& line) {
  AdviseFlags flags;
  CLI::App app;
  flags.add_to(app);
  app.parse(line);
  return flags;
}

AdviceQuestion question_of(const std::string& line) {
  AdviseFlags flags;
  CLI::App app;
  flags.add_to(app);
  app.parse(line);
  return flags.resolve();
}

std::string fault_of(const std::string& line) {
  return message_of<UsageError>([&] { question_of(line); });
}

constexpr const char* kTraining = "--epochs 90 --samples 1281167 ";

}  // namespace

TEST(AdviseFlags, BecomeTheQuestion) {
  const AdviceQuestion question = question_of(
      "--epochs 90 --samples 1281167 --deadline 24h --budget 500 --spot --interruptions-per-hour 0.05 --restart 15m "
      "--startup 5m --storage-usd-per-hour 0.11 --seed 7");
  EXPECT_EQ(question.epochs, 90);
  EXPECT_EQ(question.samples, 1281167);
  EXPECT_EQ(question.deadline_s, 86400);
  EXPECT_EQ(question.budget_usd, 500);
  EXPECT_TRUE(question.spot);
  EXPECT_EQ(question.interruptions_per_h, 0.05);
  EXPECT_EQ(question.restart_s, 900);
  EXPECT_EQ(question.startup_s, 300);
  EXPECT_EQ(question.storage_usd_per_h, 0.11);
  EXPECT_EQ(question.seed, 7u);
}

TEST(AdviseFlags, SpotMachinesTakeTenMinutesToRestartUnlessSaidOtherwise) {
  EXPECT_EQ(question_of(std::string(kTraining) + "--spot").restart_s, 600);
  EXPECT_EQ(question_of(kTraining).restart_s, 0);
}

TEST(AdviseFlags, ProbabilityIsAPercentageWithOrWithoutItsSign) {
  const std::string training = std::string(kTraining) + "--deadline 24h ";
  EXPECT_EQ(question_of(training).sure_ratio, 0.9);
  EXPECT_EQ(question_of(training + "--sure 95%").sure_ratio, 0.95);
  EXPECT_EQ(question_of(training + "--sure 50").sure_ratio, 0.5);
  EXPECT_CONTAINS(fault_of(training + "--sure certain"), "--sure takes a percentage, not 'certain'; write it like 90%");
  for (const char* bad : {"0.9", "100", "-5", "nan", "inf"}) {
    EXPECT_CONTAINS(fault_of(training + "--sure=" + bad), "it takes a percentage from 1 to 99.9");
  }
  EXPECT_CONTAINS(fault_of(std::string(kTraining) + "--sure 95"), "--sure is about a deadline or a budget");
}

TEST(AdviseFlags, SamplesOfAProfileStandInForTheFlag) {
  AdviseFlags flags;
  CLI::App app;
  flags.add_to(app);
  app.parse("--epochs 90");
  EXPECT_EQ(flags.resolve(5000.0).samples, 5000);
  EXPECT_THROW(flags.resolve(), UsageError);
}

TEST(AdviseFlags, DollarsMayHaveTheirSign) {
  EXPECT_EQ(question_of(std::string(kTraining) + "--budget $499.50").budget_usd, 499.5);
  EXPECT_EQ(question_of(std::string(kTraining) + "--budget 500USD").budget_usd, 500);
}

TEST(AdviseFlags, FaultsNameTheFlagAndShowAValidSpelling) {
  EXPECT_CONTAINS(fault_of("--samples 100"), "--epochs is missing");
  EXPECT_CONTAINS(fault_of("--epochs 90"), "like --samples 1281167");
  const std::string training = kTraining;
  EXPECT_CONTAINS(fault_of("--epochs -1 --samples 5"), "--epochs is -1");
  EXPECT_CONTAINS(fault_of("--epochs 1 --samples 0"), "--samples is 0");
  EXPECT_CONTAINS(fault_of(training + "--deadline tomorrow"), "--deadline takes a duration, not 'tomorrow'");
  EXPECT_CONTAINS(fault_of(training + "--deadline 0h"), "write it like 24h");
  for (const char* bad : {"-5", "much", "nan", "inf", "0", "5EUR", "$"}) {
    EXPECT_CONTAINS(fault_of(training + "--budget=" + bad), "write it like 5usd or 499.50");
  }
  EXPECT_CONTAINS(fault_of(training + "--restart 10m"), "--restart is about spot machines: add --spot");
  EXPECT_CONTAINS(fault_of(training + "--interruptions-per-hour 1"), "--interruptions-per-hour is about spot machines");
  EXPECT_CONTAINS(fault_of(training + "--spot --interruptions-per-hour=-1"), "--interruptions-per-hour is -1");
  EXPECT_CONTAINS(fault_of(training + "--startup soon"), "--startup takes a duration");
  EXPECT_CONTAINS(fault_of(training + "--storage-usd-per-hour=-1"), "--storage-usd-per-hour takes dollars");
  EXPECT_EQ(question_of(training + "--storage-usd-per-hour 0").storage_usd_per_h, 0);
}

TEST(AdviseFlags, RowsAndNodesHaveBounds) {
  EXPECT_EQ(flags_of("").top(), 10u);
  EXPECT_EQ(flags_of("").max_nodes(), 16);
  EXPECT_EQ(flags_of("--max-nodes 4").max_nodes(), 4);
  EXPECT_THROW(flags_of("--max-nodes 17").max_nodes(), UsageError);
  EXPECT_THROW(flags_of("--max-nodes 0").max_nodes(), UsageError);
  EXPECT_THROW(flags_of("--top 0").top(), UsageError);
}

}  // namespace stash
