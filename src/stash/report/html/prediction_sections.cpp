#include "stash/report/html/prediction_sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/units.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/part_colors.h"
#include "stash/report/prediction_extras.h"
#include "stash/report/table.h"

namespace stash {

namespace {

constexpr std::size_t kMostPredictionBars = 24;
constexpr std::size_t kMostPredictionRows = 200;
constexpr std::size_t kMostSentences = 60;

std::string label_of(const Prediction& prediction) {
  return fmt::format("{} x {}, {} {}", prediction.nodes, prediction.instance, prediction.gpus, prediction.gpu);
}

std::string chart_of(std::span<const Prediction* const> predictions) {
  std::vector<BarRow> rows;
  std::vector<const Ledger*> ledgers;
  for (const Prediction* prediction : predictions.first(std::min(predictions.size(), kMostPredictionBars))) {
    const Ledger& ledger = prediction->ledger;
    ledgers.push_back(&ledger);
    rows.push_back({label_of(*prediction),
                    fmt::format("{} ms ({} to {})", milliseconds(ledger.step.s, ledger),
                                milliseconds(ledger.step.low_s, ledger), milliseconds(ledger.step.high_s, ledger)),
                    ledger_segments(ledger), Whisker{ledger.step.low_s, ledger.step.high_s}});
  }
  return figure(parts_legend(ledgers) + bar_chart("Predicted steps side by side", rows, tick_ms),
                "A first epoch's step on each machine, with its 95 % interval.");
}

Cell ms_cell(const std::optional<Estimate>& time, const Ledger& ledger) {
  return time ? Cell{milliseconds(time->s, ledger), time->s * 1e3} : Cell{"–"};
}

std::string table_of(std::span<const Prediction* const> predictions) {
  HtmlTable table("Predicted ledgers, ms per step", {"machine"});
  for (const Part part : kParts) table.add_column(to_string(part));
  for (const char* name : {"step", "from", "to", "epoch", "$ per hour", "$ per epoch"}) table.add_column(name);
  for (const Prediction* prediction : predictions.first(std::min(predictions.size(), kMostPredictionRows))) {
    const Ledger& ledger = prediction->ledger;
    std::vector<Cell> row{label_of(*prediction)};
    for (const Part part : kParts) row.push_back(ms_cell(ledger[part], ledger));
    row.push_back(ms_cell(ledger.step, ledger));
    row.push_back({milliseconds(ledger.step.low_s, ledger), ledger.step.low_s * 1e3});
    row.push_back({milliseconds(ledger.step.high_s, ledger), ledger.step.high_s * 1e3});
    row.push_back(prediction->epoch_s ? Cell{format_duration(*prediction->epoch_s), *prediction->epoch_s} : Cell{"–"});
    row.push_back(number_cell(prediction->usd_per_h, 2));
    row.push_back(number_cell(prediction->epoch_usd, 4));
    table.add(std::move(row));
  }
  return table.str();
}

// Each sentence once.
std::string assumptions_of(std::span<const Prediction* const> predictions) {
  std::vector<std::string> sentences;
  for (const Prediction* prediction : predictions) {
    for (const std::string& sentence : prediction->assumptions) {
      const bool is_new = std::ranges::find(sentences, sentence) == sentences.end();
      if (is_new && sentences.size() < kMostSentences) sentences.push_back(sentence);
    }
  }
  return sentences.empty() ? "" : "<h3>Assumed</h3>\n" + list(sentences);
}

// What more would be worth, machine by machine.
std::string extras_of(const Predictions& predictions) {
  std::vector<NamedList> machines;
  std::size_t sentences = 0;
  for (const Prediction& prediction : predictions.predictions) {
    NamedList machine{label_of(prediction), extra_lines(prediction)};
    sentences += machine.texts.size();
    if (!machine.texts.empty() && sentences <= kMostSentences) machines.push_back(std::move(machine));
  }
  return machines.empty() ? "" : list(machines);
}

}  // namespace

Section ledgers_section(std::span<const Prediction* const> predictions) {
  if (predictions.empty()) return {"predicted", "Predicted ledgers", ""};
  return {"predicted", "Predicted ledgers",
          chart_of(predictions) + table_of(predictions) + assumptions_of(predictions)};
}

Section rejected_section(const std::vector<Rejected>& rejected) {
  HtmlTable table(
      fmt::format("{} machine{} that cannot run this job, and why", rejected.size(), rejected.size() == 1 ? "" : "s"),
      {"machine", "nodes", "why"});
  for (std::size_t i = 0; i < std::min(rejected.size(), kMostPredictionRows); ++i) {
    table.add({rejected[i].instance,
               {fmt::format("{}", rejected[i].nodes), static_cast<double>(rejected[i].nodes)},
               rejected[i].why});
  }
  return {"rejected", "Rejected machines", table.empty() ? "" : table.folded()};
}

std::vector<Section> prediction_sections(const Predictions& predictions) {
  std::vector<const Prediction*> shown;
  for (const Prediction& prediction : predictions.predictions) shown.push_back(&prediction);
  return {ledgers_section(shown),
          {"worth", "What more would be worth", extras_of(predictions)},
          rejected_section(predictions.rejected)};
}

}  // namespace stash
