#include "stash/report/first_step_json.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "stash/report/ledger_json.h"

namespace stash {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kEfforts{"setting", "training", "hardware", "machine"};

Json measured_json(const Estimate& saved) {
  return {{"saved_s", json_number(saved.s)},
          {"saved_low_s", json_number(saved.low_s)},
          {"saved_high_s", json_number(saved.high_s)}};
}

Json step_json(const FirstStep& step, std::optional<double> usd_per_hour) {
  Json json{{"part", to_string(step.part)},
            {"action", step.action},
            {"how", step.how},
            {"because", step.because},
            {"effort", kEfforts[static_cast<std::size_t>(step.effort)]},
            {"saved_s", json_number(step.saved.s)},
            {"saved_low_s", json_number(step.saved.low_s)},
            {"saved_high_s", json_number(step.saved.high_s)},
            {"of_s", json_number(step.of_s)},
            {"saved_ratio", json_number(step.saved_ratio())},
            {"first_epoch", step.first_epoch},
            {"predicted", step.is_predicted},
            {"measured", step.measured ? measured_json(*step.measured) : Json(nullptr)}};
  if (usd_per_hour) json["saved_usd_per_hour"] = json_number(step.saved_ratio() * *usd_per_hour);
  return json;
}

}  // namespace

Json tried_json(const Tries& tries) {
  if (!tries.asked) return nullptr;
  Json list = Json::array();
  for (const TriedStep& step : tries.tried) {
    Json json{{"fix", step.fix},
              {"condition", to_string(step.condition)},
              {"action", step.action},
              {"how", step.how},
              {"predicted_s", json_number(step.predicted_s)}};
    json.update(measured_json(step.measured));
    json["of_s"] = json_number(step.of_s);
    json["rounds"] = step.rounds;
    json["helps"] = step.helps();
    list.push_back(std::move(json));
  }
  return list;
}

Json not_tried_json(const Tries& tries) {
  if (!tries.asked) return nullptr;
  Json list = Json::array();
  for (const NotTried& one : tries.not_tried) list.push_back({{"action", one.action}, {"why", one.why}});
  return list;
}

Json first_step_json(std::span<const FirstStep> steps, std::optional<double> usd_per_hour) {
  if (steps.empty()) return nullptr;
  Json json = step_json(steps.front(), usd_per_hour);
  Json& alternatives = json["alternatives"] = Json::array();
  for (const FirstStep& step : steps.subspan(1)) alternatives.push_back(step_json(step, usd_per_hour));
  return json;
}

}  // namespace stash
