#include "stash/battery/compare.h"

#include <gtest/gtest.h>

#include "battery_fixture.h"
#include "stash/battery/training_cost.h"
#include "stash/catalog/instances.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

using testing_support::profile_of;
using testing_support::sample_case;

// A machine whose step takes `scale` times 90 ms.
BatterySummary machine(const std::string& name, std::optional<double> usd_per_h, double scale,
                       const std::vector<std::string>& models = {"resnet18", "vgg11"}) {
  BatterySummary summary;
  summary.name = name;
  summary.usd_per_h = usd_per_h;
  const Battery plan{.cases = {}, .usd_per_h = usd_per_h, .epoch_samples = {}, .instance = {}};
  for (const std::string& model : models) {
    for (const int batch : {32, 64}) {
      const Case one = sample_case(model, batch);
      summary.cases.push_back(result_of(one, profile_of(one, scale), plan));
    }
  }
  return summary;
}

TEST(Compare, FastestAndCheapestAreNamedForEachModel) {
  const Comparison found = compare({machine("slow", 1.0, 2), machine("fast", 3.0, 1)}, instance_table());
  ASSERT_EQ(found.models.size(), 2u);
  const ModelComparison& model = found.models[0];
  EXPECT_EQ(found.machines[model.machines[0].machine].name, "fast");
  EXPECT_TRUE(model.fastest_is_certain);
  EXPECT_EQ(found.machines[model.machines[*model.cheapest].machine].name, "slow");
  EXPECT_EQ(model.machines[0].name, sample_case("resnet18", 64).name);  // the larger batch is faster
}

TEST(Compare, ADearerMachineThatIsNotFasterByAsMuchDoesNotPay) {
  const Comparison found = compare({machine("slow", 1.0, 2), machine("fast", 3.0, 1)}, instance_table());
  ASSERT_EQ(found.does_not_pay.size(), 2u);
  EXPECT_EQ(found.machines[found.does_not_pay[0].machine].name, "fast");
  EXPECT_DOUBLE_EQ(found.does_not_pay[0].price_ratio, 3);
  EXPECT_NEAR(found.does_not_pay[0].speed_ratio, 2, 0.01);
}

TEST(Compare, ADearerMachineThatIsFasterByMorePays) {
  const Comparison found = compare({machine("slow", 1.0, 4), machine("fast", 3.0, 1)}, instance_table());
  EXPECT_TRUE(found.does_not_pay.empty());
}

TEST(Compare, WithoutPricesNothingIsCheapest) {
  const Comparison found = compare({machine("a", {}, 1), machine("b", {}, 1.001)}, instance_table());
  EXPECT_FALSE(found.models[0].cheapest);
  EXPECT_FALSE(found.models[0].fastest_is_certain);
}

TEST(Compare, AModelThatOneMachineLacksIsComparedAmongTheOthers) {
  const Comparison found = compare({machine("a", 1.0, 1, {"resnet18"}), machine("b", 1.0, 2)}, instance_table());
  ASSERT_EQ(found.models.size(), 2u);
  EXPECT_EQ(found.models[0].machines.size(), 2u);
  EXPECT_EQ(found.models[1].machines.size(), 1u);
}

TEST(Compare, MachinesWithOtherEpochsAreComparedForTheSameSamples) {
  BatterySummary half = machine("half", 1.0, 1, {"resnet18"});
  for (CaseResult& result : half.cases) {
    *result.epoch_samples /= 2;
    *result.epoch_s /= 2;
    *result.epoch_low_s /= 2;
    *result.epoch_high_s /= 2;
  }
  const Comparison found = compare({machine("a", 1.0, 1, {"resnet18"}), half}, instance_table());
  const auto& rows = found.models[0].machines;
  EXPECT_NEAR(rows[0].epoch.s, rows[1].epoch.s, 1e-6 * rows[0].epoch.s);
}

TEST(Compare, LinksThatFallShortOfTheirKindAreFlagged) {
  BatterySummary summary = machine("vm", 1.0, 1);
  summary.figures = {make_figure("link_node_rate", "ranks=2", "bytes_per_s", {1e9, 1e9, 1e9})};
  Comparison found = compare({summary}, instance_table());
  ASSERT_EQ(found.links.size(), 1u);
  EXPECT_TRUE(found.links[0].falls_short);
  EXPECT_GT(found.links[0].expected_bytes_per_s, 10e9);  // V100s have NVLink somewhere
  summary.figures[0].median = found.links[0].expected_bytes_per_s * 0.8;
  EXPECT_FALSE(compare({summary}, instance_table()).links[0].falls_short);
}

TEST(Compare, AnInstanceThatWasNamedIsTheMeasure) {
  BatterySummary summary = machine("vm", 1.0, 1);
  summary.instance = "p2.8xlarge";
  summary.figures = {make_figure("link_node_rate", "ranks=2", "bytes_per_s", {1e9})};
  EXPECT_EQ(compare({summary}, instance_table()).links[0].expected_of, "p2.8xlarge");
}

TEST(TrainingCost, WhatWasMeasuredStandsBesideWhatIsPredicted) {
  const TemporaryFolder temporary;
  const BatteryFolder folder(temporary.path() / "vm");
  folder.make();
  const Case one = sample_case();
  Profile profile = profile_of(one);
  profile.layers = {{"conv1", "conv2d", 9408, 1e9, 2e9, 3e6, 4e6, 0.001, 0.002}};
  folder.write_finished(one, profile);
  folder.write_plan({.cases = {one}, .usd_per_h = 2.0, .epoch_samples = {}, .instance = {}});
  const BatterySummary summary = summarize(folder);
  const std::vector<Instance> on{find_instance("p3.2xlarge"), find_instance("p2.xlarge")};
  const auto costs = training_costs(summary, folder, 3, on);
  ASSERT_GE(costs.size(), 2u);
  EXPECT_TRUE(costs[0].measured);
  EXPECT_NEAR(costs[0].time->s, *summary.cases[0].first_epoch_s + 2 * *summary.cases[0].epoch_s, 1);
  EXPECT_NEAR(*costs[0].usd, costs[0].time->s / 1800, 1e-6);
  for (std::size_t i = 1; i < costs.size(); ++i) EXPECT_NE(costs[i].time.has_value(), !costs[i].why.empty());
}

}  // namespace
}  // namespace stash
