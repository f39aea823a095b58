#pragma once

#include <string>

#include "stash/plan/layer_answer.h"
#include "stash/report/report.h"

namespace stash {

// One line: how fast the plan is, against data parallelism, or which devices are best left out.
std::string layer_plan_verdict(const LayerAnswer& answer);

// The page for people: verdict, the split of every layer with its times, what the plan is compared with, what binds it
// and what more of each resource would bring.
std::string render_layer_plan_text(const LayerAnswer& answer, const ReportOptions& options);

// One JSON object, ASCII; docs/cli/plan.md describes it.
std::string render_layer_plan_json(const LayerAnswer& answer);

// "saves 1.20 ms per step (3.0 %)", or what it costs; of a step of `step_s`.
std::string worth_text(const PlanWorth& worth, double step_s);

// A plan that this one is compared with.
struct ComparedPlan {
  std::string name{};
  const LayerPlan* plan = nullptr;
};
std::vector<ComparedPlan> compared_plans(const LayerAnswer& answer);

// Layers next to each other that are split alike.
struct LayerRun {
  std::size_t first = 0;
  std::size_t count = 0;
  PlannedLayer sum{};
};
std::vector<LayerRun> layer_runs(const LayerPlan& plan);
std::string name_of(const LayerRun& run, const SplitNetwork& network);  // "conv1", "conv1 to conv5 (5)"

}  // namespace stash
