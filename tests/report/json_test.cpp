#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../core/contains.h"
#include "report_fixture.h"
#include "stash/report/report.h"

namespace stash {

namespace {

using nlohmann::json;
using testing_support::interconnect_profile;
using testing_support::make_profile;
using testing_support::report_of;

json json_of(const Profile& profile, std::optional<double> usd_per_hour = {}) {
  return json::parse(render_json(report_of(profile, usd_per_hour)));
}

}  // namespace

TEST(JsonReport, HasTheLedger) {
  const json report = json_of(interconnect_profile());
  EXPECT_EQ(report["schema_version"], 1);
  const json& ledger = report["ledger"];
  EXPECT_NEAR(ledger["step"]["s"].get<double>(), 0.0902, 1e-9);
  EXPECT_NEAR(ledger["parts"]["interconnect"]["ratio"].get<double>(), 0.4113, 1e-4);
  EXPECT_LT(ledger["parts"]["interconnect"]["low_s"], ledger["parts"]["interconnect"]["s"]);
  EXPECT_TRUE(ledger["parts"]["network"].is_null());
  EXPECT_TRUE(ledger["parts"]["copy"].is_null());
  EXPECT_EQ(ledger["parts"].size(), 7u);
  EXPECT_TRUE(ledger["published"]["network_ratio"].is_null());
  EXPECT_TRUE(ledger["late_rank"].is_null());
  EXPECT_EQ(ledger["rounds"], 6);
  EXPECT_EQ(ledger["coverage"]["absent"]["network"], "the job runs on one node");
  EXPECT_EQ(ledger["step_by_condition"].size(), 5u);
  EXPECT_EQ(report["stopped_by"], "precision");
  EXPECT_EQ(report["job"]["model"], "resnet50");
  EXPECT_EQ(report["machine"]["cores"], 8);
  EXPECT_TRUE(report["warnings"].is_array());
  EXPECT_TRUE(report["emulated"].is_null());
}

TEST(JsonReport, HasTheFirstStepWithWhatItSaves) {
  Profile profile = interconnect_profile();
  EXPECT_TRUE(json_of(profile).at("first_step").is_null());  // the cores of a CPU compute
  profile.job.device = "emulated:v100";
  const json step = json_of(profile, 24.48)["first_step"];
  EXPECT_EQ(step["part"], "prep");
  EXPECT_EQ(step["how"], "--workers 2");
  EXPECT_EQ(step["effort"], "setting");
  EXPECT_NEAR(step["saved_s"].get<double>(), 0.0094, 1e-9);
  EXPECT_LT(step["saved_low_s"], step["saved_s"]);
  EXPECT_NEAR(step["saved_usd_per_hour"].get<double>(), 24.48 * 0.0094 / 0.0902, 1e-6);
  EXPECT_EQ(step["first_epoch"], false);
  EXPECT_TRUE(step["alternatives"].is_array());
}

TEST(JsonReport, PartsSumToTheStep) {
  const json ledger = json_of(interconnect_profile())["ledger"];
  double sum_s = 0;
  for (const Part part : kParts) {
    const json& entry = ledger["parts"][std::string(to_string(part))];
    if (!entry.is_null()) sum_s += entry["s"].get<double>();
  }
  EXPECT_EQ(sum_s, ledger["step"]["s"].get<double>());
}

TEST(JsonReport, LateRankAndDollars) {
  Profile profile = interconnect_profile();
  for (Window& window : profile.windows) {
    if (window.condition == Condition::apart) window.ranks[1]->wall_s += 0.030 * window.steps;
  }
  const json report = json_of(profile, 10);
  EXPECT_EQ(report["ledger"]["late_rank"]["rank"], 1);
  EXPECT_EQ(report["ledger"]["late_rank"]["condition"], "apart");
  const json& compute = report["ledger"]["parts"]["compute"];
  EXPECT_NEAR(compute["usd_per_hour"].get<double>(), compute["ratio"].get<double>() * 10, 1e-12);
}

TEST(JsonReport, StepOfNoTimeGivesNullsAndNoNaN) {
  Profile profile = make_profile({{Condition::solo, 0}, {Condition::hot, 0}}, 0);
  const std::string text = render_json(report_of(profile, 1));
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_TRUE(json::parse(text)["ledger"]["parts"]["prep"]["ratio"].is_null());
}

TEST(JsonReport, IsAsciiWhateverTheFileHolds) {
  Profile profile = interconnect_profile();
  profile.job.device = "emulated:\x1b[2J\x7f\u202e\xff";
  profile.warnings = {"\xc2\x9b"};
  for (const unsigned char c : render_json(report_of(profile))) {
    EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << static_cast<int>(c);
  }
}

TEST(CsvReport, HasAllPartsAndTheStep) {
  const Profile profile = interconnect_profile();
  const std::string csv = render_csv(report_of(profile));
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "part,s,low_s,high_s,ratio,usd_per_hour");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 9);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), ','), 45);
  EXPECT_CONTAINS(csv, "\nnetwork,,,,,\n");
  EXPECT_CONTAINS(csv, ",1,\n");
}

TEST(CsvReport, DollarsAreTheShareOfThePrice) {
  const Profile profile = interconnect_profile();
  EXPECT_CONTAINS(render_csv(report_of(profile, 24.5)), ",1,24.5\n");
}

}  // namespace stash
