#include <nlohmann/json.hpp>

#include "stash/core/version.h"
#include "stash/plan/gpt_stages.h"
#include "stash/report/gpt_plan_report.h"
#include "stash/report/ledger_json.h"
#include "stash/report/plan_worth_json.h"

namespace stash {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kGptPlanSchemaVersion = 1;

Json split_json(const GptPlan& plan, const GptJob& job) {
  return {{"data", plan.data},
          {"tensor", plan.tensor},
          {"pipeline", plan.pipeline},
          {"shards", plan.shards},
          {"interleave", plan.interleave},
          {"micro_batch", plan.micro_batch},
          {"micro_batches", plan.data * plan.micro_batch > 0 ? micro_batches(job, plan) : 0},
          {"sequence_parallel", plan.sequence_parallel},
          {"shard_optimizer", plan.shard_optimizer},
          {"recompute", to_string(plan.recompute)},
          {"stage_layers", plan.stage_layers}};
}

Json ranked_json(const RankedPlan& ranked, const GptJob& job) {
  Json row = split_json(ranked.plan, job);
  row["step_s"] = json_number(ranked.step.step_s);
  row["low_s"] = json_number(ranked.low_s);
  row["high_s"] = json_number(ranked.high_s);
  row["memory_bytes"] = json_number(ranked.step.memory_bytes);
  row["may_not_fit"] = ranked.may_not_fit();
  row["ledger"] = ledger_json(gpt_ledger(job, ranked), std::nullopt, nullptr);
  return row;
}

Json rejected_plans_json(const GptAnswer& answer) {
  Json rows = Json::array();
  for (const RejectedPlan& rejected : answer.found.rejected) {
    Json row = split_json(rejected.plan, answer.job);
    row["why"] = rejected.why;
    row["missing_bytes"] = json_number(rejected.missing_bytes);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json gpt_baselines_json(const GptAnswer& answer) {
  Json rows = Json::array();
  for (const GptBaseline& other : answer.baselines) {
    rows.push_back({{"name", other.name},
                    {"step_s", other.plan ? json_number(other.plan->step.step_s) : Json(nullptr)},
                    {"why_not", other.why_not.empty() ? Json(nullptr) : Json(other.why_not)}});
  }
  return rows;
}

Json stages_json(const GptAnswer& answer) {
  Json rows = Json::array();
  for (const PlannedStage& stage : answer.stages) {
    rows.push_back({{"machine", stage.machine},
                    {"layers", stage.layers},
                    {"compute_s", json_number(stage.compute_s)},
                    {"tensor_s", json_number(stage.tensor_s)},
                    {"pipeline_s", json_number(stage.pipeline_s)},
                    {"memory_bytes", json_number(stage.memory_bytes)},
                    {"handed_bytes", json_number(stage.handed_bytes)}});
  }
  return rows;
}

}  // namespace

std::string render_gpt_plan_json(const GptAnswer& answer) {
  Json plans = Json::array();
  for (const RankedPlan& ranked : answer.found.plans) plans.push_back(ranked_json(ranked, answer.job));
  const Json json{{"schema_version", kGptPlanSchemaVersion},
                  {"tool", tool_json()},
                  {"model", answer.job.size.name},
                  {"global_batch", answer.job.global_batch},
                  {"devices", answer.devices},
                  {"dtype", to_string(answer.job.dtype)},
                  {"plans", std::move(plans)},
                  {"stages", stages_json(answer)},
                  {"tried", answer.found.tried},
                  {"baselines", gpt_baselines_json(answer)},
                  {"left_out", answer.left_out},
                  {"binding", answer.found.binding},
                  {"worth", plan_worth_json(answer.found.worth)},
                  {"rejected", rejected_plans_json(answer)},
                  {"assumptions", answer.assumptions}};
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace stash
