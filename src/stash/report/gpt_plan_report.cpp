#include "stash/report/gpt_plan_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "stash/core/units.h"
#include "stash/plan/gpt_stages.h"
#include "stash/report/columns.h"
#include "stash/report/layer_plan_report.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kMostRejectedRows = 5;

// Where there is a doubt, the table marks it.
std::string doubt_line(const GptAnswer& answer) {
  if (std::ranges::none_of(answer.found.plans, &RankedPlan::may_not_fit)) return "";
  return "?: more than there is, by an estimate that is up to a quarter high: it may fit\n";
}

std::string settings_text(const GptPlan& plan) {
  std::vector<std::string> settings;
  if (plan.shards > 1) settings.push_back(fmt::format("shards {}", plan.shards));
  if (plan.shard_optimizer) settings.push_back("sharded optimizer");
  if (plan.sequence_parallel) settings.push_back("split sequences");
  if (plan.recompute != Recompute::none) settings.push_back(fmt::format("recompute {}", to_string(plan.recompute)));
  if (plan.interleave > 1) settings.push_back(fmt::format("{} pieces per stage", plan.interleave));
  return settings.empty() ? "–" : fmt::format("{}", fmt::join(settings, ", "));
}

std::string plans_table(const GptAnswer& answer) {
  std::vector<Row> rows{
      {"", "data", "tensor", "pipeline", "micro-batch", "step", "95 % interval", "memory", "of the best", "also"}};
  const double best_s = answer.found.plans.front().step.step_s;
  for (std::size_t i = 0; i < answer.found.plans.size(); ++i) {
    const RankedPlan& ranked = answer.found.plans[i];
    const GptPlan& plan = ranked.plan;
    rows.push_back({std::to_string(i + 1), std::to_string(plan.data), std::to_string(plan.tensor),
                    std::to_string(plan.pipeline), std::to_string(plan.micro_batch),
                    format_duration(ranked.step.step_s),
                    fmt::format("{} to {}", format_duration(ranked.low_s), format_duration(ranked.high_s)),
                    fmt::format("{}{}", format_bytes(ranked.step.memory_bytes), ranked.may_not_fit() ? "?" : ""),
                    fmt::format("{:.3f}", ranked.step.step_s / best_s), settings_text(plan)});
  }
  return render_columns(rows, std::array<std::size_t, 1>{9});
}

std::string parts_table(const GptAnswer& answer) {
  const RankedPlan& best = answer.found.plans.front();
  const GptStep& step = best.step;
  const GptPlan& plan = best.plan;
  std::vector<Row> rows{{"the best plan's step", "", ""}};
  const auto add = [&](const char* name, double s, bool has) {
    if (has) rows.push_back({name, format_duration(s), fmt::format("{:.1f} %", 100 * s / step.step_s)});
  };
  add("compute", step.compute_s, true);
  add("bubble of the pipeline", step.bubble_s, plan.pipeline > 1);
  add("data", step.data_s, plan.data > plan.shards);
  add("tensor", step.tensor_s, plan.tensor > 1);
  add("pipeline", step.pipeline_s, plan.pipeline > 1);
  add("shards", step.shards_s, plan.shards > 1);
  add("of these inside nodes", step.interconnect_s, plan.ranks() > 1);
  add("of these between nodes", step.network_s, step.network_s > 0);
  return render_columns(rows, std::array<std::size_t, 1>{0});
}

std::string baselines_table(const GptAnswer& answer) {
  if (answer.baselines.empty()) return "";
  const double best_s = answer.found.plans.front().step.step_s;
  std::vector<Row> rows{{"compared with", "step", "of the best", ""}};
  for (const GptBaseline& other : answer.baselines) {
    if (other.plan) {
      const double s = other.plan->step.step_s;
      rows.push_back({other.name, format_duration(s), fmt::format("{:.3f}", s / best_s),
                      other.name.ends_with("alone") ? plan_text(other.plan->plan) : ""});
    } else {
      rows.push_back({other.name, "–", "–", other.why_not});
    }
  }
  return "\n" + render_columns(rows, std::array<std::size_t, 2>{0, 3});
}

std::string stages_line(const GptAnswer& answer) {
  const GptPlan& plan = answer.found.plans.front().plan;
  if (plan.stage_layers.empty()) return "";
  return fmt::format("layers of the stages: {}\n", fmt::join(plan.stage_layers, ", "));
}

std::string why_lines(const GptAnswer& answer) {
  std::string text = fmt::format("what binds: {}\n", answer.found.binding);
  for (const PlanWorth& worth : answer.found.worth) {
    text += fmt::format("{}, {}: {}\n", worth.resource, worth.more,
                        worth_text(worth, answer.found.plans.front().step.step_s));
  }
  return text;
}

std::string rejected_lines(const GptAnswer& answer) {
  std::vector<RejectedPlan> rejected = answer.found.rejected;
  if (rejected.empty()) return "";
  std::ranges::stable_sort(rejected, {}, &RejectedPlan::missing_bytes);
  std::string text =
      fmt::format("\ndo not fit into memory, whatever else is saved: {} of the splits\n", rejected.size());
  for (std::size_t i = 0; i < std::min(rejected.size(), kMostRejectedRows); ++i) {
    text += fmt::format("  {}: {}\n", plan_text(rejected[i].plan), rejected[i].why);
  }
  return text + (rejected.size() > kMostRejectedRows ? "  and others; --format json has them all\n" : "");
}

std::string job_text(const GptAnswer& answer) {
  const GptJob& job = answer.job;
  return fmt::format("a GPT of {} layers, hidden {}, global batch {} in {} on {} ({} GPU{})", job.size.layers,
                     job.size.hidden, job.global_batch, to_string(job.dtype), answer.devices, job.gpus(),
                     job.gpus() == 1 ? "" : "s");
}

}  // namespace

std::string plan_text(const GptPlan& plan) {
  return fmt::format("data {} x tensor {} x pipeline {}", plan.data, plan.tensor, plan.pipeline);
}

std::string gpt_plan_verdict(const GptAnswer& answer) {
  const RankedPlan& best = answer.found.plans.front();
  std::string text = fmt::format("{}: {}, micro-batch {}: {} per step ({} to {})", job_text(answer),
                                 plan_text(best.plan), best.plan.micro_batch, format_duration(best.step.step_s),
                                 format_duration(best.low_s), format_duration(best.high_s));
  if (!answer.left_out.empty()) {
    text += fmt::format("; without {} it is faster", fmt::join(answer.left_out, " and "));
  }
  return text;
}

std::string render_gpt_plan_text(const GptAnswer& answer, const ReportOptions& options) {
  std::string text = gpt_plan_verdict(answer) + "\n\n" + plans_table(answer) + doubt_line(answer) + "\n" +
                     parts_table(answer) + stages_line(answer) + baselines_table(answer) + "\n" + why_lines(answer) +
                     rejected_lines(answer);
  text += "\nassumed\n";
  for (const std::string& sentence : answer.assumptions) {
    text += fmt::format("  {}\n", printable(sentence, options.unicode));
  }
  return options.unicode ? text : to_ascii(text);
}

}  // namespace stash
