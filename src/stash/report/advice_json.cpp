#include <nlohmann/json.hpp>

#include "stash/core/version.h"
#include "stash/report/advice_report.h"
#include "stash/report/ledger_json.h"
#include "stash/report/prediction_json.h"

namespace stash {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kAdviceSchemaVersion = 1;

Json question_json(const AdviceQuestion& question) {
  return {{"epochs", json_number(question.epochs)},
          {"samples", json_number(question.samples)},
          {"deadline_s", json_number(question.deadline_s)},
          {"budget_usd", json_number(question.budget_usd)},
          {"sure_ratio", json_number(question.sure_ratio)},
          {"spot", question.spot},
          {"interruptions_per_h", json_number(question.interruptions_per_h)},
          {"restart_s", json_number(question.restart_s)},
          {"startup_s", json_number(question.startup_s)},
          {"storage_usd_per_hour", json_number(question.storage_usd_per_h)},
          {"seed", question.seed}};
}

Json option_json(const Option& option) {
  Json json = prediction_json(option.prediction);
  json["time_s"] = json_number(option.time_s);
  json["time_low_s"] = json_number(option.time_low_s);
  json["time_high_s"] = json_number(option.time_high_s);
  json["cost_usd"] = json_number(option.cost_usd);
  json["cost_low_usd"] = json_number(option.cost_low_usd);
  json["cost_high_usd"] = json_number(option.cost_high_usd);
  json["interruptions"] = json_number(option.interruptions);
  json["meets"] = option.meets;
  json["meets_ratio"] = json_number(option.meets_ratio);
  json["on_front"] = option.on_front;
  json["first_ratio"] = json_number(option.first_ratio);
  json["group"] = option.group ? Json(*option.group) : Json(nullptr);
  json["links_known"] = option.prediction.links_known;
  return json;
}

Json machines_json(const Advice& advice, std::optional<std::size_t> option) {
  if (!option) return nullptr;
  const Prediction& machines = advice.ranked[*option].prediction;
  return {{"instance", machines.instance}, {"cloud", machines.cloud}, {"nodes", machines.nodes}};
}

Json needed_json(const Advice& advice) {
  const auto amount = [](const std::optional<Needed>& needed) {
    return json_number(needed ? std::optional(needed->amount) : std::nullopt);
  };
  if (advice.best) return nullptr;
  return {{"deadline_s", amount(advice.deadline_needed)}, {"budget_usd", amount(advice.budget_needed)}};
}

}  // namespace

std::string render_advice_json(const AdviceQuestion& question, const Advice& advice) {
  Json rows = Json::array();
  for (const Option& option : advice.ranked) rows.push_back(option_json(option));
  const Json json{{"schema_version", kAdviceSchemaVersion},
                  {"tool", tool_json()},
                  {"verdict", advice_verdict(question, advice)},
                  {"question", question_json(question)},
                  {"best", machines_json(advice, advice.best)},
                  {"surer", machines_json(advice, advice.surer)},
                  {"needed", needed_json(advice)},
                  {"predictions", std::move(rows)},
                  {"rejected", rejected_json(advice.rejected)},
                  {"would_change", advice.would_change},
                  {"notes", advice.notes}};
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace stash
