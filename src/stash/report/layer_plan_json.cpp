#include <nlohmann/json.hpp>

#include "stash/core/version.h"
#include "stash/report/layer_plan_report.h"
#include "stash/report/ledger_json.h"
#include "stash/report/plan_worth_json.h"

namespace stash {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPlanSchemaVersion = 1;

Json levels_json(const LayerPlan& plan, const SplitNetwork& network) {
  Json levels = Json::array();
  for (const PlannedLevel& level : plan.levels) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < level.splits.size(); ++i) {
      rows.push_back({{"layer", network.layers[i].name},
                      {"type", static_cast<int>(level.splits[i].type)},
                      {"ratio", json_number(level.splits[i].ratio)}});
    }
    levels.push_back(std::move(rows));
  }
  return levels;
}

Json names_of_levels(const LayerPlan& plan) {
  Json names = Json::array();
  for (const PlannedLevel& level : plan.levels) names.push_back(level.name);
  return names;
}

Json layers_json(const LayerPlan& plan, const SplitNetwork& network) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < plan.layers.size(); ++i) {
    const PlannedLayer& layer = plan.layers[i];
    rows.push_back({{"layer", network.layers[i].name},
                    {"compute_s", json_number(layer.compute_s)},
                    {"within_s", json_number(layer.within_s)},
                    {"between_s", json_number(layer.between_s)},
                    {"exchanged_bytes", json_number(layer.exchanged_bytes)}});
  }
  return rows;
}

Json memory_json(const LayerPlan& plan, std::span<const DeviceKind> kinds) {
  Json bytes = Json::object();
  for (std::size_t k = 0; k < std::min(kinds.size(), plan.memory_bytes.size()); ++k) {
    bytes[kinds[k].name] = json_number(plan.memory_bytes[k]);
  }
  return bytes;
}

Json step_or_null(const LayerPlan* plan, bool published) {
  return plan == nullptr || published ? Json(nullptr) : json_number(plan->step_s);
}

// Elements that the slower half exchanges, by level.
Json elements_json(const LayerPlan& plan) {
  Json elements = Json::array();
  for (const PlannedLevel& level : plan.levels) elements.push_back(json_number(level.cost));
  return elements;
}

Json plan_json(const LayerPlan& plan, const LayerAnswer& answer) {
  Json row{{"name", plan.name}, {"level_names", names_of_levels(plan)}, {"levels", levels_json(plan, answer.network)}};
  if (answer.published) {
    row["step_s"] = nullptr;
    row["elements"] = elements_json(plan);
    return row;
  }
  const auto end = [&](double Estimate::* which) {
    return plan.interval ? json_number((*plan.interval).*which) : Json(nullptr);
  };
  row["step_s"] = json_number(plan.step_s);
  row["low_s"] = end(&Estimate::low_s);
  row["high_s"] = end(&Estimate::high_s);
  row["memory_bytes"] = memory_json(plan, answer.kinds);
  row["ledger"] = ledger_json(layer_ledger(plan), std::nullopt, nullptr);
  row["layers"] = layers_json(plan, answer.network);
  return row;
}

Json baselines_json(const LayerAnswer& answer) {
  const LayerPlans& plans = answer.plans;
  return {{"data", step_or_null(&plans.data, answer.published)},
          {"data_best_ratio", step_or_null(&plans.data_best_ratio, answer.published)},
          {"owt", step_or_null(&plans.owt, answer.published)},
          {"hypar", step_or_null(&plans.hypar, answer.published)},
          {"fast_only", step_or_null(plans.fast_only ? &*plans.fast_only : nullptr, answer.published)}};
}

Json baseline_plans_json(const LayerAnswer& answer) {
  Json plans = Json::object();
  const auto add = [&](const char* name, const LayerPlan& plan) {
    if (!plan.levels.empty()) plans[name] = levels_json(plan, answer.network);
  };
  add("data", answer.plans.data);
  add("data_best_ratio", answer.plans.data_best_ratio);
  add("owt", answer.plans.owt);
  add("hypar", answer.plans.hypar);
  if (answer.plans.fast_only) add("fast_only", *answer.plans.fast_only);
  return plans;
}

}  // namespace

Json plan_worth_json(std::span<const PlanWorth> worth) {
  Json rows = Json::array();
  for (const PlanWorth& one : worth) {
    rows.push_back({{"resource", one.resource}, {"more", one.more}, {"saved_s", json_number(one.saved_s)}});
  }
  return rows;
}

std::string render_layer_plan_json(const LayerAnswer& answer) {
  Json best = plan_json(answer.plans.best, answer);
  best["baselines"] = baselines_json(answer);
  best["baseline_plans"] = baseline_plans_json(answer);
  Json plans = Json::array({std::move(best)});
  if (answer.plans.second) plans.push_back(plan_json(*answer.plans.second, answer));
  Json json{{"schema_version", kPlanSchemaVersion},
            {"tool", tool_json()},
            {"model", answer.model},
            {"batch", answer.batch},
            {"plans", std::move(plans)},
            {"rejected", Json::array()}};
  if (!answer.published) {
    json["devices"] = answer.devices;
    json["dtype"] = answer.dtype;
    json["left_out"] = answer.left_out;
    json["binding"] = answer.binding;
    json["worth"] = plan_worth_json(answer.worth);
  }
  json["assumptions"] = answer.assumptions;
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace stash
