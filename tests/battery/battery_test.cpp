#include "stash/battery/battery.h"

#include <gtest/gtest.h>

#include <set>

#include "../core/contains.h"
#include "battery_fixture.h"
#include "stash/battery/battery_json.h"
#include "stash/battery/profile_series.h"
#include "stash/core/error.h"
#include "stash/models/models.h"
#include "support/message_of.h"

namespace stash {
namespace {

using testing_support::sample_case;

TEST(Battery, SmallLargeAndAllAreTheModelsOfTheStudy) {
  EXPECT_EQ(parse_models("small").size(), 5u);
  EXPECT_EQ(parse_models("large"), (std::vector<std::string>{"resnet50", "vgg11", "bert_large"}));
  EXPECT_EQ(parse_models("all").size(), 8u);
  EXPECT_EQ(parse_models("vgg11,large,vgg11"), (std::vector<std::string>{"vgg11", "resnet50", "bert_large"}));
}

TEST(Battery, AModelThatIsNotKnownNamesTheNearest) {
  EXPECT_NE(message_of<UsageError>([] { parse_models("resnet18,vgg12x"); }).find("vgg"), std::string::npos);
  EXPECT_THROW(parse_models(","), UsageError);
}

TEST(Battery, AGptKeepsItsCommas) { EXPECT_EQ(parse_models("gpt:layers=2,hidden=128,heads=2,seq=64").size(), 1u); }

TEST(Battery, EveryModelComesFirstAtItsMiddleBatchWithAllRanks) {
  const auto order = ordered_combinations(
      {.models = {"alexnet", "vgg11"}, .batches = {128, 32, 64}, .ranks = {1, 4, 2}, .nodes = {2, 1}});
  ASSERT_EQ(order.size(), 2u * 3 * 3 * 2);
  EXPECT_EQ(order[0], (Combination{"alexnet", 64, 4, 1}));
  EXPECT_EQ(order[1], (Combination{"vgg11", 64, 4, 1}));
}

TEST(Battery, ThenOneOfThemMovesToAnEndAndEveryCombinationComesOnce) {
  const auto order =
      ordered_combinations({.models = {"alexnet"}, .batches = {32, 64, 128}, .ranks = {1, 2}, .nodes = {1}});
  ASSERT_EQ(order.size(), 6u);
  EXPECT_EQ(order[1], (Combination{"alexnet", 64, 1, 1}));
  EXPECT_EQ(order[2], (Combination{"alexnet", 32, 2, 1}));
  std::set<std::tuple<int, int>> seen;
  for (const Combination& one : order) seen.insert({one.batch, one.ranks});
  EXPECT_EQ(seen.size(), 6u);
}

TEST(Battery, WithoutBatchesEachModelHasItsOwn) {
  const auto order =
      ordered_combinations({.models = {"resnet18", "bert_large"}, .batches = {}, .ranks = {2}, .nodes = {1}});
  EXPECT_EQ(order[0].batch, 64);
  EXPECT_EQ(order[1].batch, 4);
}

TEST(Battery, SoManyCasesThatNobodyWaitsForThemAreRefused) {
  std::vector<int> many(200);
  for (int i = 0; i < 200; ++i) many[static_cast<std::size_t>(i)] = i + 1;
  EXPECT_THROW(ordered_combinations({.models = {"alexnet"}, .batches = many, .ranks = many, .nodes = {1}}), UsageError);
}

TEST(Battery, ANameIsFitForAFileAndTellsCasesApart) {
  Case one = sample_case();
  EXPECT_EQ(one.name, "resnet18-b64-r2-n1-emulated-v100-fp32");
  one.job.model = "gpt:layers=2,hidden=128/../../etc";
  EXPECT_EQ(case_name(one.job, 1).find('/'), std::string::npos);
  EXPECT_NE(case_name(one.job, 1), case_name(one.job, 2));
}

TEST(Battery, AProfileOfAnotherJobIsNotTheCases) {
  const Case one = sample_case();
  Job measured = one.job;
  measured.data = "/cache/images";
  measured.max_time_s = 3;
  EXPECT_TRUE(is_of_case(one, measured, 1));
  EXPECT_FALSE(is_of_case(one, measured, 2));
  measured.workers += 1;
  EXPECT_FALSE(is_of_case(one, measured, 1));
}

TEST(Battery, DataThatWereAskedForMustBeTheSame) {
  Case one = sample_case();
  one.job.data = "/data/mine";
  Job measured = one.job;
  EXPECT_TRUE(is_of_case(one, measured, 1));
  measured.data = "/cache/images";
  EXPECT_FALSE(is_of_case(one, measured, 1));
}

TEST(Battery, APlanKeepsTheCasesOfEarlierCalls) {
  const Battery older{
      .cases = {sample_case("vgg11"), sample_case()}, .usd_per_h = 3.06, .epoch_samples = {}, .instance = "x"};
  const Battery both = merged({.cases = {sample_case()}, .usd_per_h = {}, .epoch_samples = 100, .instance = {}}, older);
  ASSERT_EQ(both.cases.size(), 2u);
  EXPECT_EQ(both.cases[0].job.model, "resnet18");
  EXPECT_EQ(both.usd_per_h, 3.06);
  EXPECT_EQ(both.epoch_samples, 100);
}

TEST(Battery, APlanComesBackFromItsFile) {
  Battery battery{.cases = {sample_case(), sample_case("vgg11", 512)},
                  .usd_per_h = 3.06,
                  .epoch_samples = 10,
                  .instance = "p3.2xlarge"};
  battery.cases[1].why_not = "too large";
  EXPECT_EQ(battery_from_json_text(to_json_text(battery)), battery);
}

TEST(Battery, APlanWithThePriceUnderItsOlderNameIsRead) {
  EXPECT_EQ(battery_from_json_text(R"({"cases": [], "usd_per_h": 3.06})").usd_per_h, 3.06);
}

TEST(Battery, ADamagedPlanNamesTheKey) {
  EXPECT_THROW(battery_from_json_text("{\"cases\": ["), Error);
  EXPECT_NE(message_of<Error>([] { battery_from_json_text(R"({"cases": [{"name": 3}]})"); }).find("cases[0].name"),
            std::string::npos);
  EXPECT_THROW(battery_from_json_text(R"({"schema_version": 99, "cases": []})"), Error);
}

TEST(Battery, AFolderIsOfOneSetOfMachines) {
  const Battery alone{.cases = {sample_case()}, .usd_per_h = {}, .epoch_samples = {}, .instance = {}};
  Battery two = alone;
  two.machines = 2;
  check_same_machines(two, two, "vms");
  check_same_machines(two, Battery{}, "vms");
  EXPECT_CONTAINS(message_of([&] { check_same_machines(two, alone, "vms"); }),
                  "'vms' holds cases of one machine without a launcher, and this call is of 2 machines");
}

TEST(ProfileSeries, ModelsShareTheTimeThatIsLeft) {
  EXPECT_DOUBLE_EQ(fair_share_s(308, 15), 20);
  EXPECT_DOUBLE_EQ(fair_share_s(5, 3), 0) << "ranks need a while to end";
}

}  // namespace
}  // namespace stash
