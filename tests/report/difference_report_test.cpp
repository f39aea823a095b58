#include "stash/report/difference_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../core/contains.h"
#include "hostile.h"
#include "report_fixture.h"

namespace stash {

namespace {

using testing_support::interconnect_profile;
using testing_support::slower_profile;

using Renderer = std::string (*)(const DifferencePage&, const ReportOptions&);

std::string page_of(Renderer render, const Profile& before, const Profile& after,
                    std::optional<double> limit_ratio = std::nullopt, const ReportOptions& options = {}) {
  return render({before, after, compare(before, after), limit_ratio}, options);
}

}  // namespace

TEST(DifferenceText, NothingChangedIsSaidFirst) {
  const std::string text = page_of(render_difference_text, interconnect_profile(), interconnect_profile(), 0.03);
  EXPECT_TRUE(text.starts_with("no real difference: the step changed by +0.0 %")) << text;
  EXPECT_CONTAINS(text, "within the limit of 3 % of the step\n");
}

TEST(DifferenceText, FasterIsSaidWithItsInterval) {
  const std::string text = page_of(render_difference_text, slower_profile(), interconnect_profile());
  EXPECT_TRUE(text.starts_with("after is 4.2 % faster (")) << text;
  EXPECT_CONTAINS(text.substr(0, text.find('\n')), "interconnect -4.00 ms");
}

TEST(DifferenceText, WhatElseDiffersIsAWarning) {
  Profile after = slower_profile();
  after.job.batch = 32;
  after.job.workers = 8;
  const std::string text = page_of(render_difference_text, interconnect_profile(), after);
  EXPECT_CONTAINS(text, "warning: not the same job: batch was 64, is 32\n");
  EXPECT_CONTAINS(text, "warning: differs too: workers was 1, is 8\n");
}

TEST(DifferenceCsv, HasEveryPartAndTheStep) {
  const std::string csv = page_of(render_difference_csv, interconnect_profile(), slower_profile());
  EXPECT_TRUE(csv.starts_with("part,before_s,after_s,change_s,low_s,high_s,ratio,p,real\ncompute,")) << csv;
  EXPECT_CONTAINS(csv, "\nnetwork,,,,,,,,\n");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 9);
}

TEST(DifferenceJson, HoldsEverything) {
  const auto json =
      nlohmann::json::parse(page_of(render_difference_json, interconnect_profile(), slower_profile(), 0.03));
  EXPECT_EQ(json["over_limit"], nlohmann::json({"step", "interconnect"}));
  EXPECT_EQ(json["parts"]["interconnect"]["real"], true);
  EXPECT_EQ(json["parts"]["compute"]["real"], false);
  EXPECT_TRUE(json["parts"]["network"]["change"].is_null());
  EXPECT_EQ(json["parts"]["network"]["why_absent"], "the job runs on one node");
  EXPECT_NEAR(json["step"]["change"]["s"].get<double>(), 0.004, 1e-9);
}

TEST(Difference, HostileNamesComeOutAsText) {
  Profile after = slower_profile();
  make_hostile(after);
  const std::string markdown = page_of(render_difference_markdown, interconnect_profile(), after);
  expect_harmless_markdown(markdown);
  const std::string text = page_of(render_difference_text, interconnect_profile(), after, {}, {.unicode = false});
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << static_cast<int>(c);
  EXPECT_NO_THROW(nlohmann::json::parse(page_of(render_difference_json, interconnect_profile(), after)));
}

}  // namespace stash
