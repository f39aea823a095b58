#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "../core/contains.h"
#include "predicted.h"
#include "report/first_line.h"
#include "stash/advise/advise.h"
#include "stash/report/advice_report.h"
#include "stash/report/columns.h"

namespace stash {

namespace {

using nlohmann::json;
using testing_support::first_line;
using testing_support::predicted;
using testing_support::three_predicted;

AdviceQuestion ninety_epochs() {
  AdviceQuestion question;
  question.epochs = 90;
  question.samples = 1281167;
  question.deadline_s = 24 * 3600;
  return question;
}

// Two kinds of machines with 1 to 8 nodes.
Predictions market() {
  Predictions predictions = three_predicted();
  predictions.predictions.clear();
  for (int nodes = 1; nodes <= 8; nodes *= 2) {
    predictions.predictions.push_back(predicted("p3.16xlarge", "V100", nodes, 1, 24.48 * nodes));
    predictions.predictions.push_back(predicted("p4d.24xlarge", "A100", nodes, 2.2, 32.77 * nodes));
  }
  return predictions;
}

std::string advice_page(const AdviceQuestion& question, const ReportOptions& options, std::size_t top = kDefaultTop) {
  return render_advice_text(question, advise(question, market()), options, top);
}

}  // namespace

TEST(AdviceText, IsThisPage) {
  EXPECT_EQ(
      advice_page(ninety_epochs(), {.width = 80}, 4),
      R"(rent 1 x p4d.24xlarge: $93.18 ($83.86 to $102), 2.84 h; meets a deadline of 24.0 h with over 99 % probability
best: the cheapest that meets the deadline with 90 % probability; of near-ties the one with the fewest machines

          machine       cloud  nodes  GPUs       time      95 % interval    cost  meets
  1    *  p4d.24xlarge  aws        1  8 A100   2.84 h     2.56 to 3.13 h  $93.18  >99 %
  2       p4d.24xlarge  aws        2  16 A100  2.13 h  115 min to 2.35 h    $140  >99 %  also 4, 8 nodes
  3       p3.16xlarge   aws        1  8 V100   6.26 h     5.63 to 6.88 h    $153  >99 %
  4       p3.16xlarge   aws        2  16 V100  4.69 h     4.22 to 5.16 h    $230  >99 %  also 4, 8 nodes
  "also": near-ties, the fewest machines first
  * no other is both faster and cheaper

  cost against time: ◆ the best   ● no other is both faster and cheaper   · others
      $230 │                     ·                  ·                  ·
           │
           │
           │
           │
           │
           │                                                                   ·
      $141 │●                  ·                  ·
           │
           │
           │
           │
           │
    $93.18 │                                              ◆
           └────────────────────────────────────────────────────────────────────
            32 min                        112 min                         6.26 h

what would change the advice
  p3.16xlarge would be the cheapest below $14.89/h (now $24.48)
  p3.16xlarge would be the cheapest with steps 39 % shorter than predicted (the interval allows 10 %)
  p4d.24xlarge stays ahead of 1 x p3.16xlarge up to $53.85/h (now $32.77)
  p4d.24xlarge stays ahead of 1 x p3.16xlarge with steps up to 64 % longer than predicted (the interval allows 10 %)

rejected, machines and node counts: 3
      2  needs 17 GB of GPU memory and has 12: 5 are missing: p2.xlarge
      1  its network rate is not known: g4dn.xlarge
)");
}

TEST(AdviceText, InAsciiIsThisPage) {
  AdviceQuestion question = ninety_epochs();
  question.deadline_s.reset();
  EXPECT_EQ(
      advice_page(question, {.unicode = false, .width = 60}, 2),
      R"(rent 8 x p4d.24xlarge: $140 ($126 to $154), 32 min; the best product of time and cost with over 99 % probability
best: the smallest product of time and cost, as neither --deadline nor --budget is given; of near-ties the one with the fewest machines

          machine       cloud  nodes  GPUs       time  95 % interval  cost  first
  1    *  p4d.24xlarge  aws        8  64 A100  32 min   29 to 35 min  $140  >99 %
  2       p4d.24xlarge  aws        4  32 A100  64 min   58 to 70 min  $140   <1 %
  6 more; --top shows them
  * no other is both faster and cheaper

  cost against time: # the best   o no other is both faster and cheaper   . others
      $230 |               .            .             .
           |
           |
           |
           |
           |
           |                                               .
      $141 |#            .            .
           |
           |
           |
           |
           |
    $93.18 |                                o
           +------------------------------------------------
            32 min              112 min               6.26 h

what would change the advice
  p3.16xlarge would be the best below $6.77/h (now $24.48)
  p3.16xlarge would be the best with steps 47 % shorter than predicted (the interval allows 10 %)
  p4d.24xlarge stays ahead of 8 x p3.16xlarge up to $118.48/h (now $32.77)
  p4d.24xlarge stays ahead of 8 x p3.16xlarge with steps up to 90 % longer than predicted (the interval allows 10 %)

rejected, machines and node counts: 3
      2  needs 17 GB of GPU memory and has 12: 5 are missing: p2.xlarge
      1  its network rate is not known: g4dn.xlarge
)");
}

TEST(AdviceText, DeadlineThatNothingMeetsIsSaidFirst) {
  AdviceQuestion question = ninety_epochs();
  question.deadline_s = 600;
  const std::string text = advice_page(question, {});
  EXPECT_EQ(first_line(text).find("nothing meets a deadline of 10 min: the closest, 8 x p4d.24xlarge, takes "), 0u)
      << first_line(text);
  EXPECT_CONTAINS(text, "\nwhat it would take\n");
  EXPECT_CONTAINS(text, "too late");
}

TEST(AdviceText, TheMostProbableIsNamedWhereNothingIsSureEnough) {
  AdviceQuestion question = ninety_epochs();
  question.deadline_s = 33 * 60;
  question.sure_ratio = 0.99;
  const Advice advice = advise(question, market());
  EXPECT_EQ(
      first_line(render_advice_text(question, advice, {})),
      "nothing meets a deadline of 33 min with 99 % probability: the likeliest, 8 x p4d.24xlarge, meets it with 73 % "
      "($140, 32 min); a deadline of 36 min (8 x p4d.24xlarge, $140) would do");
}

TEST(AdviceText, MoreCertaintyIsInTheFirstLineWithWhatItCosts) {
  AdviceQuestion question = ninety_epochs();
  question.deadline_s = 3.1 * 3600;
  EXPECT_CONTAINS(first_line(advice_page(question, {})),
                  "meets a deadline of 3.10 h with 96 % probability; 99 % sure costs $140 (2 x p4d.24xlarge)");
}

TEST(AdviceText, BudgetPutsTheTimeFirst) {
  AdviceQuestion question = ninety_epochs();
  question.deadline_s.reset();
  question.budget_usd = 110;
  EXPECT_CONTAINS(first_line(advice_page(question, {})),
                  "rent 1 x p4d.24xlarge: 2.84 h (2.56 to 3.13 h), $93.18; meets a budget of $110 with over 99 %");
}

TEST(AdviceText, NearTiesAreBracketed) {
  Predictions predictions{
      {predicted("many", "V100", 2, 2, 20), predicted("one", "A100", 1, 2, 15.1), predicted("far", "T4", 1, 2, 60)},
      {}};
  predictions.predictions[1].links_known = false;
  const AdviceQuestion question = ninety_epochs();
  const Advice advice = advise(question, predictions);
  const std::string text = render_advice_text(question, advice, {});
  EXPECT_CONTAINS(text, "  1  ┌  ?  one  ");
  EXPECT_CONTAINS(text, "     └  *  many  ");
  EXPECT_CONTAINS(text, "  2        far  ");
  EXPECT_CONTAINS(text, "  ┌│└: near-ties, the fewest machines first\n");
  EXPECT_CONTAINS(text, "  ? how fast its GPUs are linked was neither published nor measured\n");
  EXPECT_CONTAINS(render_advice_text(question, advice, {.unicode = false}), "  1  +  ?  one  ");
}

TEST(AdviceText, AllRejectedIsSaidFirst) {
  const AdviceQuestion question = ninety_epochs();
  const std::string text = render_advice_text(question, advise(question, {{}, three_predicted().rejected}), {});
  EXPECT_EQ(first_line(text), "no machine can be advised: all 3 were rejected");
}

TEST(AdviceText, PlotStaysWithinTheTerminal) {
  const AdviceQuestion question = ninety_epochs();
  const Advice advice = advise(question, market());
  for (const int width : {0, 40, 60, 80, 300}) {
    std::istringstream lines(render_advice_plot(advice, {.width = width}));
    std::string title;
    std::getline(lines, title);
    std::getline(lines, title);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(characters(line), static_cast<std::size_t>(std::clamp(width, 32, 112))) << line;
    }
  }
}

TEST(AdviceText, OneOptionAloneIsInTheMiddleOfThePlot) {
  const AdviceQuestion question = ninety_epochs();
  const Advice advice = advise(question, {{predicted("a", "V100", 1, 4, 10)}, {}});
  EXPECT_CONTAINS(render_advice_plot(advice, {.unicode = false, .width = 52}), "                    #\n");
}

TEST(AdviceText, WithoutPricesThereIsNoPlotAndNoCost) {
  AdviceQuestion question = ninety_epochs();
  Prediction prediction = predicted("mine", "V100", 1, 4, 1);
  prediction.usd_per_h.reset();
  const Advice advice = advise(question, {{prediction}, {}});
  EXPECT_EQ(render_advice_plot(advice, {}), "");
  const std::string text = render_advice_text(question, advice, {});
  EXPECT_EQ(text.find('$'), std::string::npos);
  EXPECT_EQ(text.find("use 1 x mine: "), 0u);
}

TEST(AdviceText, ManyRejectedAreGroupedAndCutShort) {
  Predictions predictions = market();
  for (int i = 0; i < 300; ++i) {
    predictions.rejected.push_back({"aws", fmt::format("m{}", i), 1, fmt::format("reason {}", i % 30)});
  }
  const AdviceQuestion question = ninety_epochs();
  const std::string text = render_advice_text(question, advise(question, predictions), {});
  EXPECT_CONTAINS(text, "rejected, machines and node counts: 303\n");
  EXPECT_CONTAINS(text, "     10  reason 0: m0, m30, m60, m90 and 6 more\n");
  EXPECT_CONTAINS(text, "    243  for other reasons; --format json has them all\n");
}

TEST(AdviceText, NamesOfACatalogueAreHarmless) {
  Predictions predictions = market();
  for (Prediction& prediction : predictions.predictions) {
    prediction.instance = prediction.cloud = prediction.gpu = "\x1b[2J\n\u202e\u00e9";
  }
  const AdviceQuestion question = ninety_epochs();
  for (const unsigned char c : render_advice_text(question, advise(question, predictions), {.unicode = false})) {
    EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << static_cast<int>(c);
  }
}

TEST(AdviceJson, HasTheRowsOfPredictionsRanked) {
  const AdviceQuestion question = ninety_epochs();
  const Advice advice = advise(question, market());
  const json document = json::parse(render_advice_json(question, advice));
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["question"]["deadline_s"], 86400);
  EXPECT_TRUE(document["question"]["budget_usd"].is_null());
  EXPECT_EQ(document["question"]["sure_ratio"], 0.9);
  EXPECT_TRUE(document["surer"].is_null());
  EXPECT_TRUE(document["needed"].is_null());
  EXPECT_EQ(document["best"]["instance"], advice.ranked[0].prediction.instance);
  EXPECT_EQ(document["verdict"], advice_verdict(question, advice));
  ASSERT_EQ(document["predictions"].size(), 8u);
  double first = 0;
  for (const json& row : document["predictions"]) {
    for (const char* key :
         {"instance",      "cloud",       "nodes",       "gpus",        "ledger",      "usd_per_hour", "epoch_s",
          "epoch_usd",     "assumptions", "time_s",      "time_low_s",  "time_high_s", "cost_usd",     "cost_low_usd",
          "cost_high_usd", "on_front",    "first_ratio", "meets_ratio", "group",       "links_known"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
    first += row["first_ratio"].get<double>();
  }
  EXPECT_NEAR(first, 1, 1e-9);
  EXPECT_EQ(document["rejected"].size(), 3u);
  EXPECT_EQ(document["rejected"][0]["why"], "needs 17 GB of GPU memory and has 12: 5 are missing");
  EXPECT_FALSE(document["would_change"].empty());
  EXPECT_FALSE(document["notes"].empty());
}

TEST(AdviceJson, NothingThatMeetsIsANullBest) {
  AdviceQuestion question = ninety_epochs();
  question.deadline_s = 600;
  const Advice advice = advise(question, market());
  const json document = json::parse(render_advice_json(question, advice));
  EXPECT_TRUE(document["best"].is_null());
  EXPECT_EQ(document["needed"]["deadline_s"], advice.deadline_needed->amount);
  EXPECT_TRUE(document["needed"]["budget_usd"].is_null());
  EXPECT_TRUE(document["predictions"][0]["group"].is_null());
}

TEST(AdviceJson, HoldsNoNumberThatIsNone) {
  Predictions predictions = market();
  predictions.predictions[0].ledger.step.s = 0;
  predictions.predictions[1].usd_per_h = INFINITY;
  predictions.predictions[2].ledger[Part::compute] = Estimate{NAN, NAN, NAN};
  const AdviceQuestion question = ninety_epochs();
  const std::string text = render_advice_json(question, advise(question, predictions));
  EXPECT_TRUE(json::accept(text));
  EXPECT_EQ(text.find(": nan"), std::string::npos);
  for (const unsigned char c : text) EXPECT_LT(c, 0x80);
}

TEST(AdviceCsv, HasARowForEachOption) {
  const AdviceQuestion question = ninety_epochs();
  const std::string csv = render_advice_csv(advise(question, market()));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 9);
  const auto columns = std::count(csv.begin(), csv.begin() + static_cast<std::ptrdiff_t>(csv.find('\n')), ',');
  EXPECT_EQ(std::count(csv.begin(), csv.end(), ','), columns * 9);
  EXPECT_CONTAINS(csv, "\n1,p");
}

}  // namespace stash
