#include "stash/report/html/plan_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "stash/core/units.h"
#include "stash/report/gpt_plan_report.h"
#include "stash/report/html/charts.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/page_frame.h"
#include "stash/report/html/plan_picture.h"
#include "stash/report/layer_plan_report.h"

namespace stash {
namespace {

std::string worth_list(const std::string& binding, const std::vector<PlanWorth>& worth, double step_s) {
  std::vector<std::string> lines{"what binds: " + binding};
  for (const PlanWorth& one : worth) {
    lines.push_back(fmt::format("{}, {}: {}", one.resource, one.more, worth_text(one, step_s)));
  }
  return list(lines);
}

std::string compared_chart(const LayerAnswer& answer) {
  std::vector<BarRow> rows;
  const auto add = [&](const std::string& name, const LayerPlan& plan) {
    rows.push_back({.label = name,
                    .figures = format_duration(plan.step_s),
                    .segments = {{plan.compute_s, "part-compute", "computing"},
                                 {plan.interconnect_s, "part-interconnect", "links"},
                                 {plan.network_s, "part-network", "network"}},
                    .interval = {}});
    if (plan.interval) rows.back().interval = Whisker{plan.interval->low_s, plan.interval->high_s};
  };
  add("the plan", answer.plans.best);
  for (const ComparedPlan& other : compared_plans(answer)) add(other.name, *other.plan);
  const std::array entries{LegendEntry{"part-compute", "computing"}, LegendEntry{"part-interconnect", "links"},
                           LegendEntry{"part-network", "network"}};
  return figure(legend(entries) + time_bar_chart("Step by plan", rows), "Time per step, with its 95 % interval.");
}

std::string layers_html_table(const LayerAnswer& answer) {
  HtmlTable table("Layers; milliseconds per step on the devices that take longest",
                  {"layer", "types by level", "computing", "within", "between", "bytes"});
  for (const LayerRun& run : layer_runs(answer.plans.best)) {
    std::vector<std::string_view> types;
    for (const PlannedLevel& level : answer.plans.best.levels) types.push_back(to_string(level.splits[run.first].type));
    table.add({name_of(run, answer.network),
               fmt::format("{}", fmt::join(types, " ")),
               number_cell(run.sum.compute_s * 1e3, 3),
               number_cell(run.sum.within_s * 1e3, 3),
               number_cell(run.sum.between_s * 1e3, 3),
               {format_bytes(run.sum.exchanged_bytes), run.sum.exchanged_bytes}});
  }
  return table.str();
}

std::string gpt_plans_table(const GptAnswer& answer) {
  HtmlTable table("Plans, best first",
                  {"plan", "micro-batch", "shards", "recompute", "pieces", "step, s", "from", "to", "memory"});
  int number = 0;
  for (const RankedPlan& ranked : answer.found.plans) {
    const GptPlan& plan = ranked.plan;
    table.add({fmt::format("{}: {}", ++number, plan_text(plan)),
               number_cell(plan.micro_batch, 0),
               number_cell(plan.shards, 0),
               std::string(to_string(plan.recompute)),
               number_cell(plan.interleave, 0),
               number_cell(ranked.step.step_s, 3),
               number_cell(ranked.low_s, 3),
               number_cell(ranked.high_s, 3),
               {format_bytes(ranked.step.memory_bytes), ranked.step.memory_bytes}});
  }
  return table.str();
}

std::string gpt_baselines_table(const GptAnswer& answer) {
  HtmlTable table("Compared with plans that use less", {"plan", "step, s", "why not"});
  for (const GptBaseline& other : answer.baselines) {
    table.add({other.name, number_cell(other.plan ? std::optional(other.plan->step.step_s) : std::nullopt, 3),
               other.why_not});
  }
  return table.empty() ? "" : table.str();
}

std::string gpt_steps_chart(const GptAnswer& answer) {
  std::vector<BarRow> rows;
  for (const RankedPlan& ranked : answer.found.plans) {
    const GptStep& step = ranked.step;
    rows.push_back({.label = fmt::format("{}: {}", rows.size() + 1, plan_text(ranked.plan)),
                    .figures = format_duration(step.step_s),
                    .segments = {{step.compute_s, "part-compute", "compute: " + format_duration(step.compute_s)},
                                 {step.bubble_s, "part-unsplit", "bubble: " + format_duration(step.bubble_s)},
                                 {step.interconnect_s, "part-interconnect",
                                  "inside nodes: " + format_duration(step.interconnect_s)},
                                 {step.network_s, "part-network", "between nodes: " + format_duration(step.network_s)}},
                    .interval = Whisker{ranked.low_s, ranked.high_s}});
  }
  const std::array entries{
      LegendEntry{"part-compute", "compute"}, LegendEntry{"part-unsplit", "bubble of the pipeline"},
      LegendEntry{"part-interconnect", "inside nodes"}, LegendEntry{"part-network", "between nodes"}};
  return figure(legend(entries) + time_bar_chart("Step by plan", rows), "Time per step, with its 95 % interval.");
}

}  // namespace

std::string render_layer_plan_html(const LayerAnswer& answer) {
  const PageHead head{.title = "stash: plan", .verdict = layer_plan_verdict(answer), .lines = {}, .alerts = {}};
  return html_page(
      head, {{"layers", "Layers over devices",
              figure(layers_over_devices(answer),
                     "A strip for each halving of the devices, coloured by what is split; a longer part gets more.") +
                  layers_html_table(answer)},
             {"compared", "Compared with", compared_chart(answer)},
             {"why", "Why", worth_list(answer.binding, answer.worth, answer.plans.best.step_s)},
             {"assumed", "Assumed", answer.assumptions.empty() ? "" : list(answer.assumptions)}});
}

std::string render_gpt_plan_html(const GptAnswer& answer) {
  const PageHead head{.title = "stash: plan", .verdict = gpt_plan_verdict(answer), .lines = {}, .alerts = {}};
  const GptPlan& plan = answer.found.plans.front().plan;
  std::vector<std::string> rejected;
  for (const RejectedPlan& one : answer.found.rejected) {
    if (rejected.size() < 50) rejected.push_back(fmt::format("{}: {}", plan_text(one.plan), one.why));
  }
  return html_page(
      head,
      {{"stages", "Layers over devices",
        figure(stages_over_devices(answer), fmt::format("Each stage is {} GPUs: data {} x tensor {}.",
                                                        plan.data * plan.tensor, plan.data, plan.tensor))},
       {"plans", "Plans", gpt_steps_chart(answer) + gpt_plans_table(answer) + gpt_baselines_table(answer)},
       {"why", "Why", worth_list(answer.found.binding, answer.found.worth, answer.found.plans.front().step.step_s)},
       {"rejected", "What does not fit", rejected.empty() ? "" : list(rejected)},
       {"assumed", "Assumed", list(answer.assumptions)}});
}

}  // namespace stash
