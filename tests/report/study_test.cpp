#include "stash/report/study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "../core/contains.h"
#include "stash/report/html/study_page.h"

namespace stash {
namespace {

StudyCase study_case(const std::string& model, double stall_s, double predicted_s, bool held_out) {
  StudyCase row;
  row.observation.model = model;
  row.observation.batch = 32;
  row.observation.layers = 18;
  row.observation.gradient_bytes = 47e6;
  row.observation.backward_s = 0.02;
  row.observation.buckets = {{2e6, 5, 0.001}, {45e6, 0, 0.02}};
  row.observation.step_s = 0.1;
  row.observation.stall = {stall_s, stall_s - 0.001, stall_s + 0.001};
  row.held_out = held_out;
  row.predicted_s = predicted_s;
  return row;
}

CommunicationStudy sample_study() {
  CommunicationStudy study;
  study.job.device = "emulated:V100";
  study.fit = {.latency_s = {4e-4, 3e-4, 5e-4},
               .s_per_byte = {1.5e-9, 1.4e-9, 1.6e-9},
               .slowdown_ratio = {0.02, 0, 0.05},
               .paired_ratio = Coefficient{1.6, 1.5, 1.7},
               .r_squared = 0.998};
  study.by_layers = LineFit{0.01, 0.001, 0.4};
  study.cases = {study_case("resnet18", 0.050, 0.051, false), study_case("resnet26", 0.040, 0.042, true),
                 study_case("resnet77", 0.020, 0.050, true)};
  study.failures = {{"vgg11\x1b[31m", "needs more memory"}};
  return study;
}

TEST(StudyReport, BeginsWithTheVerdict) {
  const std::string text = render_study_text(sample_study(), {});
  EXPECT_TRUE(
      text.starts_with("emulated V100: communication takes 0.400 ms for each collective and 1.50 ms for each MB "
                       "of gradients; it predicts the stall of 1 of 2 held-out models within 10 % or 2 points "
                       "of the step\n"))
      << text;
}

TEST(StudyReport, ShowsCoefficientsResidualsLinesAndFailures) {
  const std::string text = render_study_text(sample_study(), {});
  EXPECT_CONTAINS(text, "1.50  1.40 to 1.60");
  EXPECT_CONTAINS(text, "R² 0.998");
  EXPECT_CONTAINS(text, "two at once");
  EXPECT_CONTAINS(text, "40.00 ± 1.00      42.00      +5.0       +2.0");
  EXPECT_CONTAINS(text, "+30.0 !");
  EXPECT_CONTAINS(text, "stall = 10.0 ms + 1.00 ms per layer");
  EXPECT_CONTAINS(text, "needs more memory");
  EXPECT_EQ(text.find('\x1b'), text.npos);
}

TEST(StudyReport, AsAPageItHasEveryModelAndNoMarkupOfOthers) {
  CommunicationStudy study = sample_study();
  study.failures[0].model = "<b>vgg11";
  const std::string page = render_study_html(study);
  EXPECT_CONTAINS(page, "it predicts the stall of 1 of 2 held-out models");
  EXPECT_CONTAINS(page, "resnet77: measured 20.00 ms (19.00 to 21.00), predicted 50.00 ms");
  EXPECT_CONTAINS(page, "&lt;b&gt;vgg11");
  EXPECT_CONTAINS(page, "R² 0.9980");
}

TEST(StudyReport, LeavesOutWhatABackendHasNot) {
  CommunicationStudy study = sample_study();
  study.fit.paired_ratio.reset();
  EXPECT_EQ(render_study_text(study, {}).find("two at once"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(render_study_json(study))["fit"]["paired_ratio"].is_null());
}

TEST(StudyReport, IsAsciiWhereUnicodeCannotBeShown) {
  const std::string text = render_study_text(sample_study(), {.unicode = false});
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 128; })) << text;
}

TEST(StudyReport, PlotsNothingWhereNothingStalls) {
  CommunicationStudy study = sample_study();
  for (StudyCase& row : study.cases) row.observation.stall = {}, row.predicted_s = 0;
  EXPECT_EQ(render_study_plot(study, {}), "");
}

TEST(StudyReport, JsonHasEveryCase) {
  const auto document = nlohmann::json::parse(render_study_json(sample_study()));
  ASSERT_EQ(document["cases"].size(), 3u);
  EXPECT_EQ(document["cases"][1]["model"], "resnet26");
  EXPECT_NEAR(document["cases"][1]["error_ratio"].get<double>(), 0.05, 1e-12);
  EXPECT_EQ(document["cases"][1]["within_tolerance"], true);
  EXPECT_EQ(document["cases"][1]["buckets"].size(), 2u);
  EXPECT_DOUBLE_EQ(document["fit"]["s_per_byte"]["high"], 1.6e-9);
  EXPECT_EQ(document["lines"]["gradient_bytes"], nullptr);
  EXPECT_EQ(document["failures"][0]["why"], "needs more memory");
}

TEST(StudyReport, CsvHasARowForEachCaseWithAsManyCells) {
  CommunicationStudy study = sample_study();
  study.cases[0].observation.stall = {0, 0, 0};  // no relative error
  const std::string csv = render_study_csv(study);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 4);
  EXPECT_EQ(std::ranges::count(csv, ','), 4 * 15);
  EXPECT_CONTAINS(csv, "resnet26,32,true,18,2,47000000,0.02,0.019,0.1,0.04,0.039,0.041,0.042,");
}

}  // namespace
}  // namespace stash
