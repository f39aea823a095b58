#include <gtest/gtest.h>

#include "../core/contains.h"
#include "hostile.h"
#include "predicted.h"
#include "report_fixture.h"
#include "stash/advise/advise.h"
#include "stash/report/html/escape.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/page.h"
#include "stash/report/html/scale.h"
#include "stash/report/html/svg.h"

namespace stash {

namespace {

using testing_support::interconnect_profile;
using testing_support::report_of;

constexpr std::size_t kLargest = 400'000;  // bytes of a page

std::string html_of(const Profile& profile, std::optional<double> usd_per_hour = {}) {
  return render_html(report_of(profile, usd_per_hour));
}

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t place = text.find(word); place != text.npos; place = text.find(word, place + 1)) ++found;
  return found;
}

// As much of everything as a reader lets through, with names that grow when they are escaped.
Profile huge_profile() {
  Profile profile = interconnect_profile();
  const std::string name(3000, '&');
  const std::vector<Window> windows = profile.windows;
  for (int i = 1; i < 400; ++i) {
    for (Window window : windows) {
      window.round += 6 * i;
      window.queued_start_samples = window.queued_end_samples = 3;
      window.resident_ratio = 0.5;
      window.ranks.resize(512, window.ranks[0]);
      profile.windows.push_back(std::move(window));
    }
  }
  profile.job.ranks = 512;
  profile.job.model = profile.job.data = profile.machine.hostname = name;
  profile.job.command.assign(1000, name);
  profile.places.assign(512, {name, 0});
  profile.layers.assign(5000, {name, name, 1, 1, 1, 1, 1, 0.1, 0.2});
  for (int i = 1; i <= 4000; ++i) {
    profile.collectives.push_back({i % 512, Condition::cold, name, i, 1, 0.1, 0.1, 0.1});
    profile.links.push_back({"node", name, i, 0, 2, i, 1, 0.1, 0.1, 0.1});
    profile.inputs.push_back({i, 1, 1, 1, 1, 1, 1, 0, {}});
    profile.machine.versions[name + std::to_string(i)] = name;
  }
  profile.warnings.assign(1000, name);
  return profile;
}

}  // namespace

TEST(HtmlReport, WhatToDoFirstSavesWhatTheTextPageSays) {
  Profile profile = interconnect_profile();
  profile.job.device = "emulated:v100";
  EXPECT_CONTAINS(html_of(profile, 24.48),
                  "saves about 9.40 ms (9.10 to 9.70) of 90.20 per step, 10 %, $2.55 per hour.");
}

TEST(HtmlReport, LinksStandBesideWhatTheMachineShouldGiveAndCopiesDoNot) {
  Profile profile = interconnect_profile();
  profile.job.device = "cuda";
  profile.job.backend = "nccl";
  profile.machine.cores = 64;
  profile.machine.gpus.assign(8, {"Tesla V100-SXM2-16GB", {}});
  profile.links = {{"host", "to_device,pinned", 0, 0, 1, 1 << 20, 5, 0.001, 0.001, 0.001}};
  EXPECT_EQ(count(html_of(profile), "(p3.16xlarge)"), 0u);
  profile.links.push_back({"node", "allreduce", 0, 0, 8, 1 << 20, 5, 0.001, 0.001, 0.001});
  EXPECT_EQ(count(html_of(profile), "150 GB/s (p3.16xlarge)"), 1u);
  profile.job.backend = "gloo";
  EXPECT_EQ(count(html_of(profile), "(p3.16xlarge)"), 0u);
}

TEST(HtmlText, MarkupAndControlCharactersBecomeText) {
  EXPECT_EQ(html_text("<b a=\"1\">&'\x1b\n"), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;??");
  EXPECT_EQ(html_text("abcdef", 3), "abc...");
  EXPECT_EQ(html_text("\xff\xfe µ"), "?? µ");
}

TEST(HtmlScale, EndsAreTheEdgesAndTicksAreRound) {
  const Scale scale = Scale::linear(0, 90);
  EXPECT_EQ(scale.percent(0), 0);
  EXPECT_EQ(scale.percent(45), 50);
  EXPECT_EQ(scale.percent(200), 100);
  EXPECT_EQ(scale.ticks(4), (std::vector<double>{0, 50}));
  EXPECT_EQ(Scale::linear(0, 100).ticks(5), (std::vector<double>{0, 20, 40, 60, 80, 100}));
}

TEST(HtmlScale, OddRangesHaveFinitePlaces) {
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{
           {5, 5}, {0, 0}, {-1e308, 1e308}, {1e-320, 1e-310}, {3, 1}, {-1e-9, 1e-9}}) {
    for (const Scale& scale : {Scale::linear(low, high), Scale::logarithmic(low, high)}) {
      EXPECT_GE(scale.percent(low), 0);
      EXPECT_LE(scale.percent(high), 100);
      EXPECT_LE(scale.ticks(4).size(), 60u);
    }
  }
}

TEST(HtmlScale, FewDecadesHaveTicksBetween) {
  EXPECT_EQ(Scale::logarithmic(1e3, 1e9).ticks(4).size(), 3u);
  const std::vector<double> ticks = Scale::logarithmic(100, 1000).ticks(4);
  ASSERT_EQ(ticks.size(), 4u);
  EXPECT_NEAR(ticks[1], 200, 1e-9);
}

TEST(HtmlSvg, TipsAndTextsAreEscaped) {
  Svg svg(20, "a \"label\"");
  svg.circle(50, 10, 3, "dot", "<tip>");
  svg.text(0, 10, "<text>");
  EXPECT_EQ(svg.str(),
            "<svg role=\"img\" aria-label=\"a &quot;label&quot;\" width=\"100%\" height=\"20\">"
            "<circle cx=\"50.00%\" cy=\"10\" r=\"3\" class=\"dot\"><title>&lt;tip&gt;</title></circle>"
            "<text x=\"0.00%\" y=\"10\" text-anchor=\"start\" class=\"\">&lt;text&gt;</text></svg>\n");
}

TEST(HtmlTable, NumbersStandAtTheRightWithWhatIsBehindThem) {
  HtmlTable table("caption", {"name", "ms"});
  table.add({"a", {"1.5", 1.496}});
  table.add({"b", number_cell(std::nullopt, 1)});
  EXPECT_CONTAINS(table.str(), "<th scope=\"col\" class=\"n\">ms</th>");
  EXPECT_CONTAINS(table.str(), "<th scope=\"row\">a</th><td class=\"n\" data-value=\"1.496\">1.5</td>");
  EXPECT_CONTAINS(table.str(), "<td class=\"n\">–</td>");
}

TEST(HtmlReport, NeedsNothingFromElsewhere) {
  const std::string page = html_of(interconnect_profile(), 24.48);
  EXPECT_CONTAINS(page, "default-src 'none'");
  EXPECT_EQ(count(page, "src="), 0u);
  EXPECT_EQ(count(page, "http:"), 0u);
  EXPECT_EQ(count(page, "https:"), 0u);
  EXPECT_EQ(count(page, "url("), 0u);
}

TEST(HtmlReport, SaysTheVerdictThenWhatToDo) {
  const std::string page = html_of(interconnect_profile());
  EXPECT_CONTAINS(page, "<h1>interconnect costs 41 % of every step (37.1 of 90.2 ms); prep 10 %, compute 48 %</h1>");
  EXPECT_LT(page.find("<h1>"), page.find("id=\"first\""));
  EXPECT_LT(page.find("id=\"first\""), page.find("id=\"ledger\""));
}

TEST(HtmlReport, EmulatedDevicesAndIncompleteProfilesSaySoAtTheTop) {
  Profile profile = interconnect_profile();
  profile.job.device = "emulated:v100";
  profile.complete = false;
  const std::string page = html_of(profile);
  const std::string top = page.substr(0, page.find("<nav"));
  EXPECT_CONTAINS(top, "measured with an emulated V100");
  EXPECT_CONTAINS(top, "INCOMPLETE");
}

TEST(HtmlReport, HostileNamesAreText) {
  Profile profile = interconnect_profile();
  make_hostile(profile);
  const std::string page = html_of(profile);
  EXPECT_EQ(count(page, "<script"), 1u);  // its own
  EXPECT_CONTAINS(page, "&lt;script&gt;alert(1)&lt;/script&gt;");
  EXPECT_EQ(page.find('\x1b'), page.npos);
  EXPECT_EQ(page.find('\xff'), page.npos);
}

TEST(HtmlReport, StaysSmallWhateverTheProfileHolds) { EXPECT_LT(html_of(huge_profile(), 1).size(), kLargest); }

TEST(HtmlPredictions, ShowEveryMachineOnceAndTheRejectedOnes) {
  const std::string page = render_predictions_html(testing_support::three_predicted(), std::nullopt);
  EXPECT_CONTAINS(page, "2 x p3.16xlarge, 16 V100");
  EXPECT_CONTAINS(page, "needs 17 GB of GPU memory");
  EXPECT_EQ(count(page, "id=\"ledger\""), 0u);
}

TEST(HtmlAdvice, HasTheProfileOnTheSamePageWhereOneIsGiven) {
  AdviceQuestion question;
  question.epochs = 90;
  question.samples = 1281167;
  const Advice advice = advise(question, testing_support::three_predicted());
  const std::string page = render_advice_html(question, advice, report_of(interconnect_profile()));
  EXPECT_LT(page.find("id=\"advice\""), page.find("id=\"ledger\""));
  EXPECT_LT(page.size(), kLargest);
}

}  // namespace stash
