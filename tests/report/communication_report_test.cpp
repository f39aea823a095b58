// What process groups cost, in every format.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../core/contains.h"
#include "hostile.h"
#include "report_fixture.h"
#include "stash/report/html/page.h"

namespace stash {
namespace {

using testing_support::interconnect_profile;
using testing_support::report_of;

// `dp` costs 20 of 37 ms, `tp` 10; the rest shows only when both are off.
Profile two_groups(const std::string& tp = "tp") {
  Profile profile = interconnect_profile();
  for (const std::string& name : {std::string("dp"), tp}) {
    CommGroup group;
    group.name = name;
    group.ranks = 2;
    if (name == "dp") group.used_by = {"FSDP"};
    profile.groups.push_back(group);
  }
  for (const Window& window : std::vector<Window>(profile.windows)) {
    if (window.condition != Condition::node) continue;
    for (const auto& [name, saved_s] : {std::pair(std::string("dp"), 0.020), {tp, 0.010}}) {
      Window changed = window;
      changed.variant = "off:" + name;
      for (auto& rank : changed.ranks) rank->wall_s -= saved_s * window.steps;
      add_window(profile, changed);
    }
  }
  CollectiveSummary row;
  row.condition = Condition::node;
  row.op = "allgather";
  row.bytes = 2'000'000;
  row.count = 3 * 6 * 5;
  row.group = "dp";
  profile.collectives = {row};
  return profile;
}

TEST(CommunicationReport, TextHasALineForEachGroup) {
  const std::string text = render_text(report_of(two_groups()), {});
  EXPECT_CONTAINS(text, "communication by group    ms per step  % of step   95 % interval, ms\n");
  EXPECT_CONTAINS(text, "  dp (FSDP)                       20.00       22.2   20.00 to 20.00\n");
  EXPECT_CONTAINS(text, "    inside a node; per step 3 allgather of 2.0 MB\n");
  EXPECT_CONTAINS(text, "  only together                    7.10        7.9   6.88 to 7.32\n");
  EXPECT_EQ(render_text(report_of(interconnect_profile()), {}).find("communication by group"), std::string::npos);
}

TEST(CommunicationReport, JsonHasTheKeys) {
  const nlohmann::json document = nlohmann::json::parse(render_json(report_of(two_groups())));
  const auto& lines = document["ledger"]["communication"];
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0]["group"], "dp");
  EXPECT_EQ(lines[0]["used_by"][0], "FSDP");
  EXPECT_EQ(lines[0]["calls"], 3);
  EXPECT_EQ(lines[0]["bytes"], 6'000'000);
  EXPECT_EQ(lines[0]["operations"][0]["op"], "allgather");
  EXPECT_NEAR(lines[0]["s"], 0.020, 1e-9);
  EXPECT_LE(lines[0]["low_s"], lines[0]["s"]);
  EXPECT_TRUE(lines[1]["calls"].is_null()) << "nothing was counted, which is not 0";
  EXPECT_TRUE(lines[2]["group"].is_null());
  double sum_s = 0;
  for (const auto& line : lines) sum_s += line["s"].get<double>();
  EXPECT_NEAR(sum_s, document["ledger"]["parts"]["interconnect"]["s"], 1e-12);
  const nlohmann::json without = nlohmann::json::parse(render_json(report_of(interconnect_profile())));
  EXPECT_TRUE(without["ledger"]["communication"].is_null());
}

TEST(CommunicationReport, OtherFormatsHaveTheFigures) {
  const Report report = report_of(two_groups());
  EXPECT_CONTAINS(render_csv(report), "\ngroup dp,0.0");
  EXPECT_CONTAINS(render_csv(report), "\ngroup only together,0.007");
  EXPECT_CONTAINS(render_markdown(report), "| dp (FSDP) | 20.00 | 22.2 |");
  const std::string metrics = render_ledger_openmetrics(report);
  EXPECT_CONTAINS(metrics, "# UNIT stash_ledger_group_seconds seconds\n");
  EXPECT_CONTAINS(metrics, ",group=\"dp\"} 0.0");
  EXPECT_CONTAINS(metrics, "stash_ledger_group_bytes{");
  EXPECT_CONTAINS(render_html(report), "Communication by process group");
}

TEST(CommunicationReport, NamesFromScriptsAreOnlyText) {
  const Report report = report_of(two_groups("a,b\"c\n<script>alert(1)</script>|x\x1b[31m"));
  EXPECT_EQ(render_text(report, {}).find('\x1b'), std::string::npos);
  EXPECT_EQ(render_html(report).find("<script>alert"), std::string::npos);
  EXPECT_EQ(render_markdown(report).find("<script>"), std::string::npos);
  EXPECT_CONTAINS(render_csv(report), "\"group a,b\"\"c\n<script>");
  EXPECT_EQ(render_ledger_openmetrics(report).find("c\n<"), std::string::npos);
}

}  // namespace
}  // namespace stash
