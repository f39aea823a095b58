#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stash/core/version.h"
#include "stash/report/comparison.h"
#include "stash/report/ledger_json.h"
#include "stash/report/prediction_csv.h"

namespace stash {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kComparisonSchemaVersion = 1;

const std::string& name_of(const Comparison& comparison, std::size_t machine) {
  return comparison.machines[machine].name;
}

Json model_json(const Comparison& comparison, const ModelComparison& model) {
  Json json{{"model", model.model},
            {"epoch_samples", json_number(model.epoch_samples)},
            {"fastest", name_of(comparison, model.machines.front().machine)},
            {"fastest_is_certain", model.fastest_is_certain},
            {"cheapest", model.cheapest ? Json(name_of(comparison, model.machines[*model.cheapest].machine)) : Json()},
            {"machines", Json::array()}};
  for (const BestCase& best : model.machines) {
    json["machines"].push_back({{"machine", name_of(comparison, best.machine)},
                                {"case", best.name},
                                {"epoch_s", json_number(best.epoch.s)},
                                {"epoch_low_s", json_number(best.epoch.low_s)},
                                {"epoch_high_s", json_number(best.epoch.high_s)},
                                {"epoch_usd", json_number(best.epoch_usd)}});
  }
  return json;
}

Json cost_json(const TrainingCost& cost) {
  const auto time = [&](double Estimate::* field) {
    return json_number(cost.time ? std::optional((*cost.time).*field) : std::nullopt);
  };
  return {{"model", cost.model},
          {"machine", cost.machine},
          {"measured", cost.measured},
          {"case", cost.case_name},
          {"gpus", cost.gpus},
          {"batch", cost.batch},
          {"s", time(&Estimate::s)},
          {"low_s", time(&Estimate::low_s)},
          {"high_s", time(&Estimate::high_s)},
          {"usd", json_number(cost.usd)},
          {"why", cost.why.empty() ? Json() : Json(cost.why)}};
}

}  // namespace

std::string render_comparison_json(const Comparison& comparison, const CostTable& costs) {
  Json json{{"schema_version", kComparisonSchemaVersion},
            {"tool", tool_json()},
            {"models", Json::array()},
            {"does_not_pay", Json::array()},
            {"links", Json::array()},
            {"epochs", costs.epochs == 0 ? Json() : Json(costs.epochs)},
            {"costs", Json::array()}};
  for (const ModelComparison& model : comparison.models) json["models"].push_back(model_json(comparison, model));
  for (const DoesNotPay& row : comparison.does_not_pay) {
    json["does_not_pay"].push_back({{"model", row.model},
                                    {"machine", name_of(comparison, row.machine)},
                                    {"cheaper", name_of(comparison, row.cheaper)},
                                    {"price_ratio", json_number(row.price_ratio)},
                                    {"speed_ratio", json_number(row.speed_ratio)}});
  }
  for (const LinkComparison& link : comparison.links) {
    json["links"].push_back({{"machine", name_of(comparison, link.machine)},
                             {"link", link.link},
                             {"measured_bytes_per_s", json_number(link.measured_bytes_per_s)},
                             {"expected_bytes_per_s", json_number(link.expected_bytes_per_s)},
                             {"expected_of", link.expected_of},
                             {"falls_short", link.falls_short}});
  }
  for (const TrainingCost& cost : costs.rows) json["costs"].push_back(cost_json(cost));
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string render_comparison_csv(const Comparison& comparison, const CostTable& costs) {
  std::string csv;
  if (costs.epochs > 0) {
    csv = "model,machine,measured,case,gpus,batch,epochs,s,low_s,high_s,usd,why\n";
    for (const TrainingCost& cost : costs.rows) {
      csv += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_text(cost.model), csv_text(cost.machine), cost.measured,
                         csv_text(cost.case_name), cost.gpus, cost.batch, costs.epochs,
                         cost.time ? fmt::format("{},{},{}", cost.time->s, cost.time->low_s, cost.time->high_s) : ",,",
                         csv_number(cost.usd), csv_text(cost.why));
    }
    return csv;
  }
  csv = "model,machine,case,epoch_s,epoch_low_s,epoch_high_s,epoch_usd,fastest,cheapest\n";
  for (const ModelComparison& model : comparison.models) {
    for (std::size_t i = 0; i < model.machines.size(); ++i) {
      const BestCase& best = model.machines[i];
      csv += fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_text(model.model),
                         csv_text(name_of(comparison, best.machine)), csv_text(best.name), csv_number(best.epoch.s),
                         csv_number(best.epoch.low_s), csv_number(best.epoch.high_s), csv_number(best.epoch_usd),
                         i == 0, model.cheapest == i);
    }
  }
  return csv;
}

}  // namespace stash
