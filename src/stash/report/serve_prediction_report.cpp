#include "stash/report/serve_prediction_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stash/core/units.h"
#include "stash/core/version.h"
#include "stash/report/columns.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

constexpr int kServePredictionSchema = 1;

std::string prediction_share(double ratio) { return fmt::format("{:.1f} %", 100 * ratio); }

double part_or_0(const PredictedServing& served, RequestPart part) {
  return served.parts_s[static_cast<std::size_t>(part)].value_or(0);
}

std::string prediction_verdict(const ServePrediction& prediction) {
  const ServePredictionRow* best = nullptr;
  for (const ServePredictionRow& row : prediction.rows) {
    if (row.served && row.served->answered > 0 && (best == nullptr || row.served->p99_s < best->served->p99_s)) {
      best = &row;
    }
  }
  if (best == nullptr) return fmt::format("{}: nothing can be predicted", printable(prediction.model));
  const PredictedServing& served = *best->served;
  std::string text =
      fmt::format("{} on one {} at {:.4g} per second: 99 of 100 answers within {}", printable(prediction.model),
                  printable(best->gpu), prediction.rate_per_s, format_duration(served.p99_s));
  if (served.refused_ratio > 0) text += fmt::format(", {} refused", prediction_share(served.refused_ratio));
  return text;
}

nlohmann::ordered_json served_json(const PredictedServing& served) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::object();
  for (const RequestPart part : every(RequestPart{})) {
    const auto& s = served.parts_s[static_cast<std::size_t>(part)];
    parts[std::string(to_string(part))] = s ? nlohmann::ordered_json{{"s", *s}} : nlohmann::ordered_json();
  }
  return {
      {"mean_s", served.mean_s},
      {"p50_s", served.p50_s},
      {"p90_s", served.p90_s},
      {"p99_s", served.p99_s},
      {"throughput_per_s", served.throughput_per_s},
      {"refused_ratio", served.refused_ratio},
      {"within_objective_ratio", served.within_objective_ratio ? nlohmann::ordered_json(*served.within_objective_ratio)
                                                               : nlohmann::ordered_json()},
      {"capacity_per_s", served.capacity_per_s},
      {"busy_ratio", served.busy_ratio},
      {"mean_batch", served.mean_batch},
      {"most_batch", served.most_rows},
      {"parts", parts}};
}

}  // namespace

std::string serve_prediction_text(const ServePrediction& prediction, const ReportOptions& options) {
  std::string text = prediction_verdict(prediction) + "\n\n";
  std::vector<std::vector<std::string>> rows{{"machine", "GPU", "p50", "p99", "queue", "batch wait", "compute", "batch",
                                              "capacity", "busy", "refused", "$ per million"}};
  std::string notes;
  for (const ServePredictionRow& row : prediction.rows) {
    if (!row.served) {
      notes += fmt::format("{}: {}\n", printable(row.machine), printable(row.why_not));
      continue;
    }
    const PredictedServing& served = *row.served;
    rows.push_back({printable(row.machine), printable(row.gpu), format_duration(served.p50_s),
                    format_duration(served.p99_s), format_duration(part_or_0(served, RequestPart::queue)),
                    format_duration(part_or_0(served, RequestPart::batch_wait)),
                    format_duration(part_or_0(served, RequestPart::compute)), fmt::format("{:.1f}", served.mean_batch),
                    fmt::format("{:.0f}", served.capacity_per_s), prediction_share(served.busy_ratio),
                    prediction_share(served.refused_ratio),
                    row.usd_per_million ? fmt::format("{:.2f}", *row.usd_per_million) : "–"});
  }
  text += render_columns(rows, std::vector<std::size_t>{0, 1});
  if (!notes.empty()) text += "\n" + notes;
  text +=
      "\nqueue, batch wait and compute are means. One GPU serves; capacity is in requests per second. Dollars are per\n"
      "million answered requests, if every GPU of the machine serves as much.\n";
  return options.unicode ? text : to_ascii(text);
}

std::string serve_prediction_json(const ServePrediction& prediction) {
  nlohmann::ordered_json machines = nlohmann::ordered_json::array();
  for (const ServePredictionRow& row : prediction.rows) {
    nlohmann::ordered_json batches = nlohmann::ordered_json::array();
    for (const BatchTime& one : row.batches) batches.push_back({{"batch", one.batch}, {"s", one.s}});
    machines.push_back(
        {{"machine", row.machine},
         {"gpu", row.gpu},
         {"usd_per_million",
          row.usd_per_million ? nlohmann::ordered_json(*row.usd_per_million) : nlohmann::ordered_json()},
         {"latency", row.served ? served_json(*row.served) : nlohmann::ordered_json()},
         {"batches", batches},
         {"why_not", row.why_not.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(row.why_not)}});
  }
  const nlohmann::ordered_json json{
      {"schema_version", kServePredictionSchema},
      {"tool", tool_json()},
      {"model", prediction.model},
      {"rate_per_s", prediction.rate_per_s},
      {"objective_s",
       prediction.objective_s ? nlohmann::ordered_json(*prediction.objective_s) : nlohmann::ordered_json()},
      {"machines", machines}};
  return json.dump(1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace stash
