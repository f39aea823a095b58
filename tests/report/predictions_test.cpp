#include "stash/report/predictions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "../core/contains.h"
#include "predicted.h"
#include "stash/report/columns.h"

namespace stash {

namespace {

using nlohmann::json;
using testing_support::predicted;
using testing_support::three_predicted;

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, characters(line));
  return widest;
}

}  // namespace

TEST(PredictionsText, IsThisPage) {
  EXPECT_EQ(render_predictions_text(three_predicted(), {.width = 100}),
            R"(fastest: 1 x p4d.24xlarge with 11264 samples per second; cheapest: 1 x p4d.24xlarge with $1.04 per epoch

                   p3.16xlarge     p3.16xlarge    p4d.24xlarge
                        1 node         2 nodes          1 node
                      8 x V100       16 x V100        8 x A100
  compute           60.0  60 %      60.0  40 %     27.27  60 %
  contention         4.0   4 %       4.0   3 %      1.82   4 %
  interconnect      30.0  30 %      30.0  20 %     13.64  30 %
  network                    –      50.0  33 %               –
  prep               6.0   6 %       6.0   4 %      2.73   6 %
  step, ms         100.0 100 %     150.0 100 %     45.45 100 %
  95 % interval  90.0 to 110.0  135.0 to 165.0  40.91 to 50.00
  first epoch            4 min           3 min           114 s
  epoch                  4 min           3 min           114 s
  $/h                    24.48           48.96           32.77
  $ per epoch             1.70            2.55            1.04
  assumed                  1,2             1,2             1,3

assumed
   1 the host copies batches in time
   2 layer times of V100 are scaled
   3 layer times of A100 are scaled

rejected, machines and node counts: 3
      2  needs 17 GB of GPU memory and has 12: 5 are missing: p2.xlarge
      1  its network rate is not known: g4dn.xlarge
)");
}

TEST(PredictionsText, OnePredictionBeginsWithItsVerdict) {
  const std::string text = render_predictions_text({{predicted("p3.16xlarge", "V100", 2, 1, 48.96)}, {}}, {});
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "2 x p3.16xlarge: network costs 33 % of every step (50.0 of 150 ms); interconnect 20 %, compute 40 %");
}

TEST(PredictionsText, MachinesThatDoNotFitBesideEachOtherComeBelow) {
  Predictions many;
  for (int nodes = 1; nodes <= 16; ++nodes)
    many.predictions.push_back(predicted("p3.16xlarge", "V100", nodes, 1, 24.48));
  const std::string text = render_predictions_text(many, {.width = 70});
  EXPECT_LE(widest_line(text.substr(text.find('\n') + 1)), 70u);
  for (int nodes = 2; nodes <= 16; ++nodes) EXPECT_CONTAINS(text, std::to_string(nodes) + " nodes");
}

TEST(PredictionsText, AChangeSaysWhatItSavesWithoutASign) {
  Predictions one{{predicted("p3.16xlarge", "V100", 1, 1, 24.48)}, {}};
  Prediction& prediction = one.predictions[0];
  prediction.changes = "ranks=4";
  prediction.saving = Saving{.step_s = -0.02, .epoch_s = {}, .epoch_usd = {}};
  EXPECT_NE(render_predictions_text(one, {}).find("that costs 20.0 ms per step (25.0 %)\n"), std::string::npos);
  prediction.saving = Saving{.step_s = 1e-7, .epoch_s = {}, .epoch_usd = {}};
  EXPECT_NE(render_predictions_text(one, {}).find("that saves nothing\n"), std::string::npos);
}

TEST(PredictionsText, AChangeWithoutWhichTheJobCannotRunSaysWhy) {
  Predictions one{{predicted("p3.16xlarge", "V100", 1, 1, 24.48)}, {}};
  one.predictions[0].changes = "batch=64";
  one.predictions[0].why_not_before = "needs 88 GB of GPU memory and has 17 GB: 71 GB are missing";
  const std::string text = render_predictions_text(one, {});
  EXPECT_NE(text.find("batch=64: 64 samples"), std::string::npos);
  EXPECT_NE(text.find("without that: needs 88 GB"), std::string::npos);
  EXPECT_EQ(text.find("that saves"), std::string::npos);
}

TEST(PredictionsText, NothingPredictedSaysSoAndWhy) {
  const std::string text = render_predictions_text({{}, three_predicted().rejected}, {});
  EXPECT_EQ(text.find("nothing could be predicted\n"), 0u);
  EXPECT_CONTAINS(text, "      2  needs 17 GB of GPU memory and has 12: 5 are missing: p2.xlarge\n");
}

TEST(PredictionsText, NamesOfACatalogueAreHarmless) {
  Predictions predictions = three_predicted();
  predictions.predictions[0].instance = predictions.predictions[0].gpu = "\x1b[2J\n\u202e\u00e9";
  predictions.predictions[0].assumptions = {"\x1b]0;x\x07"};
  predictions.rejected[0].instance = predictions.rejected[0].why = "\x1b[1m\r";
  for (const unsigned char c : render_predictions_text(predictions, {.unicode = false})) {
    EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << static_cast<int>(c);
  }
}

TEST(PredictionsJson, HasTheKeysThatScriptsRelyOn) {
  const json document = json::parse(render_predictions_json(three_predicted()));
  EXPECT_EQ(document["schema_version"], 1);
  ASSERT_EQ(document["predictions"].size(), 3u);
  const json& row = document["predictions"][1];
  for (const char* key :
       {"instance", "nodes", "gpus", "ledger", "usd_per_hour", "epoch_s", "epoch_usd", "assumptions"}) {
    EXPECT_TRUE(row.contains(key)) << key;
  }
  EXPECT_EQ(row["instance"], "p3.16xlarge");
  EXPECT_EQ(row["nodes"], 2);
  EXPECT_EQ(row["gpus"], 16);
  EXPECT_DOUBLE_EQ(row["usd_per_hour"].get<double>(), 48.96);
  EXPECT_EQ(row["assumptions"].size(), 2u);
  const json& rejected = document["rejected"];
  ASSERT_EQ(rejected.size(), 3u);
  EXPECT_EQ(rejected[1]["instance"], "p2.xlarge");
  EXPECT_EQ(rejected[1]["nodes"], 2);
  EXPECT_EQ(rejected[2]["why"], "its network rate is not known");
}

TEST(PredictionsJson, LedgerIsThatOfAReport) {
  const json ledger = json::parse(render_predictions_json(three_predicted()))["predictions"][0]["ledger"];
  for (const char* key : {"step", "parts", "steady_fetch", "published", "late_rank", "step_by_condition", "rounds",
                          "rounds_left_out", "coverage"}) {
    EXPECT_TRUE(ledger.contains(key)) << key;
  }
  EXPECT_EQ(ledger["parts"].size(), 7u);
  EXPECT_TRUE(ledger["parts"]["network"].is_null());
  EXPECT_NEAR(ledger["parts"]["compute"]["ratio"].get<double>(), 0.6, 1e-12);
  EXPECT_NEAR(ledger["parts"]["compute"]["usd_per_hour"].get<double>(), 0.6 * 24.48, 1e-9);
  EXPECT_EQ(ledger["coverage"]["absent"]["network"], "the job runs on one node");
}

TEST(PredictionsJson, WhatIsUnknownOrNoNumberIsNull) {
  Predictions predictions = three_predicted();
  predictions.predictions[0].usd_per_h.reset();
  predictions.predictions[0].epoch_s = std::nan("");
  predictions.predictions[0].ledger.step.high_s = INFINITY;
  const json row = json::parse(render_predictions_json(predictions))["predictions"][0];
  EXPECT_TRUE(row["usd_per_hour"].is_null());
  EXPECT_TRUE(row["epoch_s"].is_null());
  EXPECT_TRUE(row["ledger"]["step"]["high_s"].is_null());
}

TEST(PredictionsCsv, HasARowForEachAndQuotesWhatWouldSplit) {
  Predictions predictions = three_predicted();
  predictions.predictions[0].instance = "a,\"b\"";
  const std::string csv = render_predictions_csv(predictions);
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "instance,cloud,gpu,nodes,gpus,batch,accumulation,step_s,step_low_s,step_high_s,compute_s,contention_s,"
            "interconnect_s,network_s,copy_s,prep_s,fetch_s,usd_per_hour,spot_usd_per_hour,epoch_s,first_epoch_s,"
            "epoch_usd");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
  EXPECT_CONTAINS(csv, "\n\"a,\"\"b\"\"\",aws,V100,1,8,64,1,0.1,");
  EXPECT_CONTAINS(csv, ",0.004,0.03,,,0.006,,24.48,,");
}

}  // namespace stash
