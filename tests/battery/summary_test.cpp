#include "stash/battery/summary.h"

#include <gtest/gtest.h>

#include "battery_fixture.h"
#include "stash/battery/epoch.h"
#include "stash/core/file.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

using testing_support::profile_of;
using testing_support::sample_case;

struct SummaryTest : testing::Test {
  SummaryTest() {
    folder.make();
    plan.cases = {sample_case(), sample_case("vgg11"), sample_case("vgg11", 512), sample_case("alexnet")};
    plan.cases[2].why_not = "needs 40 GB";
    plan.usd_per_h = 3.6;
    folder.write_plan(plan);
    folder.write_finished(plan.cases[0], profile_of(plan.cases[0]));
    folder.write_failure(plan.cases[1], "rank 0 was killed");
  }

  TemporaryFolder temporary;
  BatteryFolder folder{temporary.path() / "vm"};
  Battery plan;
};

TEST_F(SummaryTest, EveryCaseIsARowWithItsStateAndReason) {
  const BatterySummary summary = summarize(folder);
  ASSERT_EQ(summary.cases.size(), 4u);
  EXPECT_EQ(summary.name, "vm");
  EXPECT_EQ(summary.cases[0].state, CaseState::finished);
  EXPECT_EQ(summary.cases[1].state, CaseState::failed);
  EXPECT_EQ(summary.cases[1].why, "rank 0 was killed");
  EXPECT_EQ(summary.cases[2].state, CaseState::unfit);
  EXPECT_EQ(summary.cases[2].why, "needs 40 GB");
  EXPECT_EQ(summary.cases[3].state, CaseState::left);
  EXPECT_EQ(finished_cases(summary).size(), 1u);
}

TEST_F(SummaryTest, AFinishedCaseHasItsLedgerAndItsEpoch) {
  const CaseResult result = summarize(folder).cases[0];
  ASSERT_TRUE(result.ledger);
  EXPECT_NEAR(result.ledger->step.s, 0.0901, 1e-3);
  EXPECT_NEAR(*result.compute_ratio, 0.0433 / 0.0901, 0.01);
  EXPECT_NEAR(*result.samples_per_s, 128 / 0.0901, 15);
  EXPECT_EQ(result.epoch_samples, 1'281'167);
  EXPECT_NEAR(*result.first_epoch_s, 1'281'167 / 128.0 * 0.0901, 10);
  EXPECT_NEAR(*result.epoch_usd, *result.epoch_s / 1000, 1e-9);
  EXPECT_TRUE(result.ledger->published.interconnect_ratio);
}

TEST_F(SummaryTest, APriceThatIsGivenStandsOverThePlans) {
  const BatterySummary summary = summarize(folder, 7.2);
  EXPECT_EQ(summary.usd_per_h, 7.2);
  EXPECT_NEAR(*summary.cases[0].epoch_usd, *summary.cases[0].epoch_s / 500, 1e-9);
}

TEST_F(SummaryTest, SamplesOfAnEpochCanBeGiven) {
  plan.epoch_samples = 1280;
  folder.write_plan(plan);
  EXPECT_NEAR(*summarize(folder).cases[0].first_epoch_s, 10 * 0.0901, 0.01);
}

TEST_F(SummaryTest, AnEpochThatDoesNotFitIntoTheCacheIsSlower) {
  const Case& one = plan.cases[0];
  Profile profile = profile_of(one);
  for (Window& window : profile.windows) {
    if (window.condition == Condition::cold) {
      for (auto& rank : window.ranks) rank->wall_s *= 2;
    }
  }
  plan.epoch_samples = 512;
  const double small_s = *result_of(one, profile, plan).epoch_s / 512;
  plan.epoch_samples = 10'000'000;
  const CaseResult large = result_of(one, profile, plan);
  EXPECT_GT(*large.epoch_s / 10'000'000, 1.5 * small_s);
  EXPECT_LE(*large.epoch_s, *large.first_epoch_s * 1.01);
}

TEST_F(SummaryTest, AProfileThatNoPlanKnowsIsARowToo) {
  Profile other = profile_of(sample_case("resnet50"));
  other.job.ranks = 2;
  folder.write_finished(sample_case("resnet50"), other);
  temporary.write("vm/cases/broken.json", "{");
  const BatterySummary summary = summarize(folder);
  ASSERT_EQ(summary.cases.size(), 6u);
  EXPECT_EQ(summary.cases[4].state, CaseState::failed);
  EXPECT_EQ(summary.cases[4].of.name, "broken");
  EXPECT_EQ(summary.cases[5].of.job.model, "resnet50");
  EXPECT_EQ(summary.cases[5].state, CaseState::finished);
}

TEST_F(SummaryTest, AProfileThatNoPlanKnowsHasTheEpochOfTheOthers) {
  folder.write_finished(sample_case("resnet50"), profile_of(sample_case("resnet50")));
  EXPECT_EQ(summarize(folder).cases[4].epoch_samples, 1'281'167);
  plan.epoch_samples = 1280;
  folder.write_plan(plan);
  EXPECT_EQ(summarize(folder).cases[4].epoch_samples, 1280);
}

TEST_F(SummaryTest, AProfileThatNoPlanKnowsKeepsTheEpochOfItsOwnData) {
  Profile profile = profile_of(sample_case("resnet50"));
  profile.job.data = "/data/birds";
  folder.write_finished(sample_case("resnet50"), profile);
  EXPECT_EQ(summarize(folder).cases[4].epoch_samples, 512);
}

TEST_F(SummaryTest, AFolderWithoutCasesSaysHowToMakeThem) {
  EXPECT_NE(message_of<Error>([&] { summarize(BatteryFolder(temporary.path())); }).find("stash characterize"),
            std::string::npos);
}

TEST_F(SummaryTest, LinksComeFromTheProfileWithTheMostRanks) {
  Profile few = profile_of(sample_case()), many = few;
  many.job.ranks = 4;
  few.links = {{"node", "allreduce", 0, 0, 2, 1 << 20, 5, 0.01, 0.009, 0.012}};
  many.links = {{"node", "allreduce", 0, 0, 4, 1 << 10, 5, 1e-4, 0.9e-4, 2e-4},
                {"node", "allreduce", 0, 0, 4, 1 << 20, 5, 0.001, 0.0009, 0.0012}};
  const auto figures = link_figures({few, many});
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_EQ(figures[0].name, "link_node_rate");
  EXPECT_NEAR(*figures[0].median, 1.5 * (1 << 20) / 0.001, 1);
  EXPECT_LT(*figures[0].low, *figures[0].median);
  EXPECT_EQ(figures[1].name, "link_node_latency");
  EXPECT_DOUBLE_EQ(*figures[1].median, 1e-4);
  EXPECT_EQ(figures[2].name, "copy");
  EXPECT_EQ(figures[2].why_absent, "no case on a GPU is finished");
  for (const Figure& figure : link_figures({})) EXPECT_FALSE(figure.median);
}

TEST_F(SummaryTest, CopiesAreFiguresOfTheirOwn) {
  Profile profile = profile_of(sample_case());
  profile.links = {{"host", "to_device,pinned", 0, 0, 1, 1 << 16, 5, 1e-5, 0.9e-5, 2e-5},
                   {"host", "to_device,pinned", 0, 0, 1, 1 << 26, 5, 0.001, 0.0009, 0.0012}};
  const auto figures = link_figures({profile});
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].name, "copy");
  EXPECT_EQ(figures[0].setting, "to_device,pinned");
  EXPECT_DOUBLE_EQ(*figures[0].median, (1 << 26) / 0.001);
  EXPECT_EQ(figures[1].name, "link_node_rate");
}

TEST_F(SummaryTest, DamagedFiguresAreAnError) {
  temporary.write("vm/machine.json", "[]");
  EXPECT_THROW(summarize(folder), Error);
}

}  // namespace
}  // namespace stash
