#include "stash/report/battery_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "../battery/battery_fixture.h"
#include "stash/report/comparison.h"
#include "stash/report/html/battery_page.h"

namespace stash {
namespace {

using testing_support::profile_of;
using testing_support::sample_case;

BatterySummary sample_summary(const std::string& name = "vm", double scale = 1, double usd_per_h = 3.6) {
  BatterySummary summary;
  summary.name = name;
  summary.usd_per_h = usd_per_h;
  summary.machine.cpu = "Some CPU";
  const Battery plan{.cases = {}, .usd_per_h = usd_per_h, .epoch_samples = {}, .instance = {}};
  for (const char* model : {"resnet18", "vgg11"}) {
    const Case one = sample_case(model);
    summary.cases.push_back(result_of(one, profile_of(one, scale), plan));
  }
  CaseResult failed;
  failed.of = sample_case("alexnet");
  failed.state = CaseState::failed;
  failed.why = "rank 1 \x1b[31mdied, \"badly\"";
  summary.cases.push_back(failed);
  summary.figures = {make_figure("decode", "threads=1", "samples_per_s", {600, 610, 620}),
                     absent_figure("copy", "pinned", "bytes_per_s", "there is no GPU")};
  return summary;
}

std::size_t lines_of(const std::string& text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

TEST(BatteryReport, TheVerdictComesFirstAndNamesTheLargestStall) {
  const std::string text = render_battery_text(sample_summary(), {});
  EXPECT_TRUE(text.starts_with("emulated V100: the largest stall is interconnect: ")) << text;
  EXPECT_NE(text.find("as the Stash study"), std::string::npos);
}

TEST(BatteryReport, AStallThatIsHardlyKnownIsNotTheHeadline) {
  BatterySummary summary = sample_summary();
  Ledger& ledger = *summary.cases[1].ledger;
  ledger[Part::prep] = Estimate{.s = 2 * ledger.step.s, .low_s = -ledger.step.s, .high_s = 5 * ledger.step.s};
  const std::string text = render_battery_text(summary, {});
  EXPECT_TRUE(text.starts_with("emulated V100: the largest stall is interconnect: ")) << text;
  EXPECT_NE(text.find("300.0"), std::string::npos) << "half the interval of what is known least\n" << text;
  ledger[Part::prep]->low_s = ledger[Part::prep]->high_s = 2 * ledger.step.s;  // more than there is
  EXPECT_EQ(battery_verdict(summary).find("prep"), std::string::npos) << battery_verdict(summary);
}

TEST(BatteryReport, WhatFailedStandsWithItsReasonAndWithoutControlCharacters) {
  const std::string text = render_battery_text(sample_summary(), {});
  EXPECT_NE(text.find("failed  alexnet-b64"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("there is no GPU"), std::string::npos);
}

TEST(BatteryReport, ACaseThatCannotRunIsNotSaidToHaveFailed) {
  BatterySummary summary = sample_summary();
  CaseResult& unfit = *summary.cases.insert(summary.cases.begin(), CaseResult{});
  unfit.of = sample_case("vgg11", 512);
  unfit.state = CaseState::unfit;
  unfit.why = "needs 40 GB";
  const std::string text = render_battery_text(summary, {});
  EXPECT_NE(text.find("  not run vgg11-b512-r2-n1-emulated-v100-fp32: needs 40 GB\n"), std::string::npos) << text;
  EXPECT_LT(text.find("  failed  alexnet-b64"), text.find("  not run vgg11-b512")) << text;
  EXPECT_NE(render_battery_html(summary).find("not run"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(render_battery_json(summary))["cases"][0]["state"], "unfit");
  EXPECT_NE(render_battery_csv(summary).find("vgg11-b512-r2-n1-emulated-v100-fp32,unfit,"), std::string::npos);
}

TEST(BatteryReport, ColumnsThatNeverVaryAreLeftOut) {
  const std::string text = render_battery_text(sample_summary(), {});
  EXPECT_EQ(text.find("nodes"), std::string::npos);
  EXPECT_EQ(text.find("network"), std::string::npos);
  EXPECT_NE(text.find("$ per epoch"), std::string::npos);
}

TEST(BatteryReport, WithoutUnicodeItIsAscii) {
  for (const char c : render_battery_text(sample_summary(), {.unicode = false})) EXPECT_GE(c, 0);
}

TEST(BatteryReport, JsonHasEveryCaseAndFigure) {
  const auto document = nlohmann::json::parse(render_battery_json(sample_summary()));
  ASSERT_EQ(document["cases"].size(), 3u);
  EXPECT_EQ(document["cases"][0]["profile"], "cases/resnet18-b64-r2-n1-emulated-v100-fp32.json");
  EXPECT_NEAR(document["cases"][0]["compute_ratio"].get<double>(), 0.48, 0.01);
  EXPECT_TRUE(document["cases"][2]["ledger"].is_null());
  EXPECT_EQ(document["cases"][2]["state"], "failed");
  EXPECT_EQ(document["figures"][1]["why_absent"], "there is no GPU");
  EXPECT_TRUE(document["figures"][1]["median"].is_null());
}

TEST(BatteryReport, CsvHasARowForEachCaseWithAsManyCells) {
  const std::string csv = render_battery_csv(sample_summary());
  EXPECT_EQ(lines_of(csv), 4u);
  const std::string header = csv.substr(0, csv.find('\n'));
  const std::string row = csv.substr(csv.find('\n') + 1, csv.find('\n', csv.find('\n') + 1) - csv.find('\n') - 1);
  EXPECT_EQ(std::ranges::count(header, ','), std::ranges::count(row, ','));
  EXPECT_NE(csv.find("\"rank 1 "), std::string::npos);
}

TEST(BatteryReport, AsAPageItHasEveryCaseAndNoMarkupOfOthers) {
  BatterySummary summary = sample_summary("<b>vm");
  const std::string page = render_battery_html(summary);
  EXPECT_NE(page.find("&lt;b&gt;vm"), std::string::npos);
  EXPECT_NE(page.find("measured with an emulated V100"), std::string::npos);
  EXPECT_NE(page.find("rank 1 ?[31mdied, &quot;badly&quot;"), std::string::npos);
  EXPECT_NE(page.find("there is no GPU"), std::string::npos);
  summary.cases.clear();
  EXPECT_NE(render_battery_html(summary).find("</html>"), std::string::npos);
}

TEST(BatteryReport, NothingFinishedIsSaid) {
  BatterySummary summary = sample_summary();
  summary.cases.erase(summary.cases.begin(), summary.cases.begin() + 2);
  EXPECT_TRUE(render_battery_text(summary, {}).starts_with("no case of 1 is finished yet"));
}

TEST(ComparisonReport, TheFirstLineSaysWhoIsFastestAndCheapest) {
  const Comparison comparison = compare({sample_summary("slow", 2, 1), sample_summary("fast", 1, 3)}, {});
  const std::string text = render_comparison_text(comparison, {}, {});
  EXPECT_TRUE(text.starts_with("fastest: fast for 2 models; cheapest: slow for 2 models\n")) << text;
  EXPECT_NE(text.find("fast costs 3.00 times as much per hour as slow and is 2.00 times as fast"), std::string::npos)
      << text;
}

TEST(ComparisonReport, JsonAndCsvHoldTheSameRows) {
  const Comparison comparison = compare({sample_summary("slow", 2, 1), sample_summary("fast", 1, 3)}, {});
  const auto document = nlohmann::json::parse(render_comparison_json(comparison, {}));
  EXPECT_EQ(document["models"][0]["fastest"], "fast");
  EXPECT_EQ(document["models"][0]["cheapest"], "slow");
  EXPECT_EQ(document["does_not_pay"].size(), 2u);
  EXPECT_TRUE(document["epochs"].is_null());
  EXPECT_EQ(lines_of(render_comparison_csv(comparison, {})), 5u);
}

TEST(ComparisonReport, CostsStandBesideWhatWasMeasured) {
  const Comparison comparison = compare({sample_summary()}, {});
  const CostTable costs{
      .epochs = 90,
      .rows = {{.model = "vgg11", .machine = "vm", .measured = true, .time = Estimate{7200, 7000, 7400}, .usd = 7.2},
               {.model = "vgg11", .machine = "p3.2xlarge", .time = Estimate{3600, 3000, 4000}, .usd = 3.06},
               {.model = "vgg11", .machine = "p2.xlarge", .why = "too small"}}};
  const std::string text = render_comparison_text(comparison, costs, {});
  EXPECT_NE(text.find("vgg11 for 90 epochs"), std::string::npos);
  EXPECT_LT(text.find("measured  "), text.find("p3.2xlarge"));
  EXPECT_EQ(text.find("p2.xlarge"), std::string::npos);
  EXPECT_EQ(lines_of(render_comparison_csv(comparison, costs)), 4u);
  EXPECT_EQ(nlohmann::json::parse(render_comparison_json(comparison, costs))["costs"][2]["why"], "too small");
}

}  // namespace
}  // namespace stash
