#include <nlohmann/json.hpp>

#include "stash/core/profile_json.h"
#include "stash/core/version.h"
#include "stash/report/battery_report.h"
#include "stash/report/ledger_json.h"

namespace stash {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kBatteryReportSchemaVersion = 1;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json case_json(const CaseResult& result, std::optional<double> usd_per_h) {
  const Job& job = result.of.job;
  Json json{
      {"name", result.of.name},
      {"state", to_string(result.state)},
      {"why", text_or_null(result.why)},
      {"model", job.model},
      {"batch", job.batch},
      {"ranks", job.ranks},
      {"nodes", result.of.nodes},
      {"device", job.device.text()},
      {"dtype", job.dtype},
      {"profile", result.state == CaseState::finished ? Json("cases/" + result.of.name + ".json") : Json(nullptr)},
      {"stopped_by", result.stopped_by ? Json(to_string(*result.stopped_by)) : Json(nullptr)},
      {"ledger", result.ledger ? ledger_json(*result.ledger, usd_per_h, nullptr) : Json(nullptr)}};
  for (const auto& [key, value] :
       {std::pair("elapsed_s", result.elapsed_s), std::pair("samples_per_s", result.samples_per_s),
        std::pair("compute_ratio", result.compute_ratio), std::pair("epoch_samples", result.epoch_samples),
        std::pair("first_epoch_s", result.first_epoch_s), std::pair("epoch_s", result.epoch_s),
        std::pair("epoch_low_s", result.epoch_low_s), std::pair("epoch_high_s", result.epoch_high_s),
        std::pair("epoch_usd", result.epoch_usd)}) {
    json[key] = json_number(value);
  }
  return json;
}

Json figure_json(const Figure& figure) {
  return {{"name", figure.name},
          {"setting", figure.setting},
          {"unit", figure.unit},
          {"samples", figure.samples},
          {"median", json_number(figure.median)},
          {"low", json_number(figure.low)},
          {"high", json_number(figure.high)},
          {"why_absent", text_or_null(figure.why_absent)}};
}

}  // namespace

std::string render_battery_json(const BatterySummary& summary) {
  Json json{{"schema_version", kBatteryReportSchemaVersion},
            {"tool", tool_json()},
            {"verdict", battery_verdict(summary)},
            {"name", summary.name},
            {"instance", text_or_null(summary.instance)},
            {"machines", summary.machines.value_or(1)},
            {"usd_per_hour", json_number(summary.usd_per_h)},
            {"machine", to_json(summary.machine)},
            {"cases", Json::array()},
            {"figures", Json::array()}};
  for (const CaseResult& result : summary.cases) json["cases"].push_back(case_json(result, summary.usd_per_h));
  for (const Figure& figure : summary.figures) json["figures"].push_back(figure_json(figure));
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace stash
