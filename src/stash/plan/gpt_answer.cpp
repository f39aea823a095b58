#include "stash/plan/gpt_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"
#include "stash/plan/gpt_stages.h"

namespace stash {
namespace {

GptBaseline baseline(std::string name, const GptJob& job, const GptSearch& search) {
  GptBaseline found{.name = std::move(name)};
  try {
    const GptPlans plans = search_plans(job, search, 1);
    if (!plans.plans.empty()) {
      found.plan = plans.plans.front();
    } else if (!plans.rejected.empty()) {
      found.why_not = std::ranges::min_element(plans.rejected, {}, &RejectedPlan::missing_bytes)->why;
    } else {
      found.why_not = fmt::format("{} samples cannot be shared among {} GPUs", job.global_batch, job.gpus());
    }
  } catch (const UsageError& error) {
    found.why_not = error.what();
  }
  return found;
}

GptSearch only_data(bool sharded, const GptJob& job) {
  GptSearch search{.data = job.gpus(), .tensor = 1, .pipeline = 1};
  search.shards = sharded ? job.gpus() : 1;
  return search;
}

std::string machines(const GptNodes& kind) { return fmt::format("{}x{}", kind.counted(kind.nodes), kind.name); }

// Each kind of machine without the others.
void add_kinds_alone(GptAnswer& answer, const GptSearch& search) {
  const GptBaseline* fastest = nullptr;
  std::size_t fastest_kind = 0;
  answer.baselines.reserve(answer.baselines.size() + answer.job.kinds.size());
  for (std::size_t k = 0; k < answer.job.kinds.size(); ++k) {
    GptJob alone = answer.job;
    alone.kinds = {answer.job.kinds[k]};
    const GptBaseline& added =
        answer.baselines.emplace_back(baseline(fmt::format("{} alone", machines(alone.kinds.front())), alone, search));
    const bool faster = added.plan && (fastest == nullptr || added.plan->step.step_s < fastest->plan->step.step_s);
    if (faster) fastest = &added, fastest_kind = k;
  }
  if (fastest == nullptr || fastest->plan->step.step_s >= answer.found.plans.front().step.step_s) return;
  for (std::size_t k = 0; k < answer.job.kinds.size(); ++k) {
    if (k != fastest_kind) answer.left_out.push_back(machines(answer.job.kinds[k]));
  }
}

std::vector<PlannedStage> planned_stages(const GptJob& job, const GptPlan& plan) {
  GptStepper stepper(job);
  const int passes = micro_batches(job, plan);
  const double activation = static_cast<double>(plan.micro_batch) * job.size.max_seq_len * job.size.hidden *
                            element_bytes(job.dtype) / plan.tensor;
  std::vector<PlannedStage> stages;
  for (const GptStage& stage : stages_of(job, plan)) {
    const GptNodes& nodes = job.kinds[static_cast<std::size_t>(stage.kind)];
    const StageTime time = stepper.stage(plan, stage);
    const double bytes = stage_memory(job, plan, stage).total();
    stages.push_back({.machine = nodes.name,
                      .layers = stage.layers,
                      .compute_s = time.compute_s * passes,
                      .tensor_s = time.tensor_s * passes,
                      .pipeline_s = time.handed_s * passes,
                      .memory_bytes = bytes,
                      .memory_ratio = nodes.memory_bytes > 0 ? bytes / nodes.memory_bytes : 0,
                      .handed_bytes = plan.pipeline > 1 ? activation * passes * plan.interleave * 2 : 0});
  }
  return stages;
}

}  // namespace

GptAnswer answer_gpt(GptJob job, const GptSearch& search, int most) {
  GptAnswer answer{.job = std::move(job)};
  answer.found = search_plans(answer.job, search, most);
  if (answer.found.plans.empty()) throw_no_plan(answer.found, answer.job, search);
  answer.stages = planned_stages(answer.job, answer.found.plans.front().plan);
  explain(answer.found, answer.job, search);
  if (answer.job.gpus() > 1) {
    answer.baselines.push_back(baseline("data parallel", answer.job, only_data(false, answer.job)));
    answer.baselines.push_back(baseline("fully sharded", answer.job, only_data(true, answer.job)));
  }
  if (answer.job.kinds.size() > 1) add_kinds_alone(answer, search);
  answer.assumptions.push_back("times as Megatron-LM reaches them, fitted to published steps on A100");
  return answer;
}

Ledger gpt_ledger(const GptJob& job, const RankedPlan& ranked) {
  const GptStep& step = ranked.step;
  const GptPlan& plan = ranked.plan;
  const int per_node = job.kinds.front().per_node;
  const auto estimate = [&](double s) {
    return Estimate{s, s * ranked.low_s / step.step_s, s * ranked.high_s / step.step_s};
  };
  const bool pipeline_leaves = plan.ranks() > per_node;
  // A rank that waits for other stages waits for what they send.
  const double interconnect_s = step.interconnect_s + (pipeline_leaves ? 0 : step.bubble_s);
  const double network_s = step.network_s + (pipeline_leaves ? step.bubble_s : 0);
  Ledger ledger;
  ledger.step = {step.step_s, ranked.low_s, ranked.high_s};
  ledger[Part::compute] = estimate(step.compute_s);
  if (plan.ranks() > 1) ledger[Part::interconnect] = estimate(interconnect_s);
  if (plan.ranks() > per_node) ledger[Part::network] = estimate(network_s);
  const auto add = [&](const char* name, int ranks, int stride, double s) {
    if (ranks == 1) return;
    ledger.communication.push_back(
        {.name = name, .ranks = ranks, .between_nodes = ranks * stride > per_node, .exposed = estimate(s)});
  };
  add("data", plan.data, plan.tensor, step.data_s);
  add("tensor", plan.tensor, 1, step.tensor_s);
  add("pipeline", plan.pipeline, plan.tensor * plan.data, step.pipeline_s);
  add("shards", plan.shards, plan.tensor, step.shards_s);
  add("bubble", plan.pipeline, plan.tensor * plan.data, step.bubble_s);
  return ledger;
}

}  // namespace stash
