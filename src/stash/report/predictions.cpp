#include "stash/report/predictions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "stash/core/units.h"
#include "stash/core/version.h"
#include "stash/report/cells.h"
#include "stash/report/columns.h"
#include "stash/report/prediction_csv.h"
#include "stash/report/prediction_extras.h"
#include "stash/report/prediction_json.h"
#include "stash/report/printable.h"
#include "stash/report/rejected.h"
#include "stash/report/table.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

using Row = std::vector<std::string>;

constexpr int kPredictionsSchemaVersion = 1;

std::string name_of(const Prediction& prediction) {
  return fmt::format("{} x {}", prediction.nodes, prediction.instance);
}

// Each sentence once, with a number, in the order of appearance.
class Assumptions {
 public:
  std::string numbers_of(const Prediction& prediction) {
    std::vector<std::size_t> numbers;
    for (const std::string& sentence : prediction.assumptions) numbers.push_back(number_of(sentence));
    std::ranges::sort(numbers);
    return numbers.empty() ? std::string(kUnknown) : fmt::format("{}", fmt::join(numbers, ","));
  }

  std::string lines(bool unicode) const {
    std::string text = sentences_.empty() ? "" : "\nassumed\n";
    for (std::size_t i = 0; i < sentences_.size(); ++i) {
      text += fmt::format("  {:>2} {}\n", i + 1, printable(sentences_[i], unicode));
    }
    return text;
  }

 private:
  std::size_t number_of(const std::string& sentence) {
    const auto found = std::ranges::find(sentences_, sentence);
    if (found == sentences_.end()) sentences_.push_back(sentence);
    return static_cast<std::size_t>(std::ranges::find(sentences_, sentence) - sentences_.begin()) + 1;
  }

  std::vector<std::string> sentences_;
};

std::string part_cell(const std::optional<Estimate>& part, const Ledger& ledger) {
  if (!part) return std::string(kUnknown);
  const std::string ms = milliseconds(part->s, ledger);
  return ledger.step.s > 0 ? fmt::format("{} {:>3.0f} %", ms, part->s / ledger.step.s * 100) : ms;
}

std::string duration_cell(std::optional<double> s) { return s ? format_duration(*s) : std::string(kUnknown); }

constexpr std::array<std::string_view, 18> kNames{"",
                                                  "",
                                                  "",
                                                  "compute",
                                                  "contention",
                                                  "interconnect",
                                                  "network",
                                                  "copy",
                                                  "prep",
                                                  "fetch",
                                                  "step, ms",
                                                  "95 % interval",
                                                  "later epochs: fetch",
                                                  "first epoch",
                                                  "epoch",
                                                  "$/h",
                                                  "$ per epoch",
                                                  "assumed"};

// The cells of one machine, in the order of kNames.
Row column_of(const Prediction& prediction, Assumptions& assumptions, bool unicode) {
  const Ledger& ledger = prediction.ledger;
  Row column{printable(prediction.instance, unicode, 40),
             fmt::format("{} node{}", prediction.nodes, prediction.nodes == 1 ? "" : "s"),
             fmt::format("{} x {}", prediction.gpus, printable(prediction.gpu, unicode, 40))};
  for (const Part part : kParts) column.push_back(part_cell(ledger[part], ledger));
  column.push_back(part_cell(ledger.step, ledger));
  column.push_back(
      fmt::format("{} to {}", milliseconds(ledger.step.low_s, ledger), milliseconds(ledger.step.high_s, ledger)));
  column.push_back(ledger.steady_fetch ? part_cell(ledger.steady_fetch->fetch, ledger) : std::string(kUnknown));
  column.push_back(duration_cell(prediction.first_epoch_s));
  column.push_back(duration_cell(prediction.epoch_s));
  column.push_back(usd_cell(prediction.usd_per_h));
  column.push_back(usd_cell(prediction.epoch_usd));
  column.push_back(assumptions.numbers_of(prediction));
  return column;
}

std::size_t width_of(const auto& column) {
  std::size_t width = 0;
  for (const std::string_view cell : column) width = std::max(width, characters(cell));
  return width + 2;
}

// Rows that are unknown for all machines say nothing.
std::string block_of(std::span<const Row> columns) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const bool empty = std::ranges::all_of(columns, [&](const Row& column) { return column[i] == kUnknown; });
    if (empty) continue;
    Row row{std::string(kNames[i])};
    for (const Row& column : columns) row.push_back(column[i]);
    rows.push_back(std::move(row));
  }
  return fmt::format("\n{}", render_columns(rows, std::array<std::size_t, 1>{0}));
}

std::string blocks_of(const std::vector<Row>& columns, std::size_t width) {
  std::string text;
  for (std::size_t start = 0; start < columns.size();) {
    std::size_t used = width_of(kNames) + width_of(columns[start]);
    std::size_t end = start + 1;
    while (end < columns.size() && used + width_of(columns[end]) <= width) used += width_of(columns[end++]);
    text += block_of(std::span(columns).subspan(start, end - start));
    start = end;
  }
  return text;
}

double samples_per_s(const Prediction& prediction) {
  const double samples = static_cast<double>(data_ranks(prediction)) * prediction.batch * prediction.accumulation;
  return prediction.ledger.step.s > 0 ? samples / prediction.ledger.step.s : 0;
}

}  // namespace

std::string predictions_verdict(const Predictions& found) {
  const std::vector<Prediction>& predictions = found.predictions;
  if (predictions.empty()) return "nothing could be predicted";
  const Prediction& fastest = *std::ranges::max_element(predictions, {}, samples_per_s);
  if (predictions.size() == 1) return fmt::format("{}: {}", name_of(fastest), verdict(fastest.ledger));
  std::string text =
      fmt::format("fastest: {} with {:.0f} samples per second", name_of(fastest), samples_per_s(fastest));
  const Prediction* cheapest = nullptr;
  for (const Prediction& prediction : predictions) {
    const bool less = prediction.epoch_usd && (cheapest == nullptr || *prediction.epoch_usd < *cheapest->epoch_usd);
    if (less) cheapest = &prediction;
  }
  if (cheapest != nullptr) {
    text += fmt::format("; cheapest: {} with ${} per epoch", name_of(*cheapest), usd_cell(cheapest->epoch_usd));
  }
  return text;
}

std::string render_predictions_text(const Predictions& predictions, const ReportOptions& options) {
  Assumptions assumptions;
  std::vector<Row> columns;
  std::string extras;
  for (const Prediction& prediction : predictions.predictions) {
    columns.push_back(column_of(prediction, assumptions, options.unicode));
    extras += render_extras(prediction);
  }
  const std::string page = printable(predictions_verdict(predictions), options.unicode) + "\n" +
                           blocks_of(columns, static_cast<std::size_t>(std::max(options.width, 0))) + extras +
                           assumptions.lines(options.unicode) + render_rejected(predictions.rejected, options.unicode);
  return options.unicode ? page : to_ascii(page);
}

std::string render_predictions_json(const Predictions& predictions) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Prediction& prediction : predictions.predictions) rows.push_back(prediction_json(prediction));
  const nlohmann::ordered_json json{{"schema_version", kPredictionsSchemaVersion},
                                    {"tool", tool_json()},
                                    {"predictions", std::move(rows)},
                                    {"rejected", rejected_json(predictions.rejected)}};
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string render_predictions_csv(const Predictions& predictions) {
  std::string csv = prediction_csv_header() + "\n";
  for (const Prediction& prediction : predictions.predictions) csv += prediction_csv_row(prediction) + "\n";
  return csv;
}

}  // namespace stash
