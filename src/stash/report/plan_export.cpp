#include "stash/report/plan_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "stash/core/error.h"
#include "stash/plan/gpt_stages.h"
#include "stash/report/gpt_plan_report.h"

namespace stash {
namespace {

constexpr std::array<std::string_view, 4> kExports{"json", "dtensor", "torchtitan", "megatron"};
constexpr std::string_view kEmptyPlan = "PLAN = {}\n";  // of dtensor_plan.py, where the plan goes

const GptPlan& best_of(const GptAnswer& answer) { return answer.found.plans.front().plan; }

std::string_view torch_dtype(DType dtype) {
  switch (dtype) {
    case DType::bf16:
      return "bfloat16";
    case DType::fp16:
      return "float16";
    default:
      return "float32";
  }
}

std::string_view python(bool value) { return value ? "True" : "False"; }

// The modules of each stage, where stages are of unequal depth; torchtitan's own names.
std::string stage_modules(const std::vector<int>& stage_layers) {
  std::string text = "module_fqns_per_model_part = [\n";
  int layer = 0;
  for (std::size_t s = 0; s < stage_layers.size(); ++s) {
    std::vector<std::string> names;
    if (s == 0) names.emplace_back("\"tok_embeddings\"");
    for (int i = 0; i < stage_layers[s]; ++i) names.push_back(fmt::format("\"layers.{}\"", layer++));
    if (s + 1 == stage_layers.size()) names.insert(names.end(), {"\"norm\"", "\"output\""});
    text += fmt::format("  [{}],\n", fmt::join(names, ", "));
  }
  return text + "]\n";
}

// "Et*3|t*5|t*4L": embedding, transformer layers, loss.
std::string pipeline_layout(const std::vector<int>& stage_layers) {
  std::vector<std::string> stages;
  for (int layers : stage_layers) stages.push_back(fmt::format("t*{}", layers));
  stages.front() = "E" + stages.front();
  stages.back() += "L";
  return fmt::format("{}", fmt::join(stages, "|"));
}

}  // namespace

PlanExport parse_plan_export(std::string_view name) {
  const auto found = std::ranges::find(kExports, name);
  if (found == kExports.end()) throw_unknown("export", name, kExports);
  return static_cast<PlanExport>(found - kExports.begin());
}

std::string_view to_string(PlanExport target) { return kExports[static_cast<std::size_t>(target)]; }

std::string plan_export_names() { return fmt::format("{}", fmt::join(kExports, "|")); }

std::string export_plan(const GptAnswer& answer, PlanExport target) {
  switch (target) {
    case PlanExport::dtensor:
      return dtensor_module(answer);
    case PlanExport::torchtitan:
      return torchtitan_settings(answer);
    case PlanExport::megatron:
      return megatron_arguments(answer);
    default:
      return render_gpt_plan_json(answer);
  }
}

std::string dtensor_module(const GptAnswer& answer) {
  const GptPlan& plan = best_of(answer);
  const std::string filled = fmt::format(
      "# {}\nPLAN = {{\n    \"data\": {}, \"tensor\": {}, \"pipeline\": {}, \"shards\": {}, \"interleave\": {},\n"
      "    \"micro_batch\": {}, \"micro_batches\": {},\n    \"sequence_parallel\": {}, \"shard_optimizer\": {},\n"
      "    \"recompute\": \"{}\", \"dtype\": \"{}\",\n    \"stage_layers\": [{}],  # empty: equal\n}}\n",
      gpt_plan_verdict(answer), plan.data, plan.tensor, plan.pipeline, plan.shards, plan.interleave, plan.micro_batch,
      micro_batches(answer.job, plan), python(plan.sequence_parallel), python(plan.shard_optimizer),
      to_string(plan.recompute), torch_dtype(answer.job.dtype), fmt::join(plan.stage_layers, ", "));
  std::string module(kDtensorPlan);
  return module.replace(module.find(kEmptyPlan), kEmptyPlan.size(), filled);
}

std::string torchtitan_settings(const GptAnswer& answer) {
  const GptPlan& plan = best_of(answer);
  const GptJob& job = answer.job;
  const int shards = plan.shards == 1 && plan.shard_optimizer ? plan.data : plan.shards;
  const int local = plan.pipeline > 1 ? plan.micro_batch * micro_batches(job, plan) : plan.micro_batch;
  if (job.dtype == DType::fp16) {
    throw UsageError("--export torchtitan: torchtitan trains in bf16 or fp32: give --dtype bf16 or --dtype fp32");
  }
  std::string text = fmt::format(
      "# {}\n# for torchtitan 0.2\n[training]\nlocal_batch_size = {}\nglobal_batch_size = {}\nseq_len = {}\n",
      gpt_plan_verdict(answer), local, job.global_batch, job.size.max_seq_len);
  text += fmt::format("mixed_precision_param = \"{}\"\n\n", torch_dtype(job.dtype));
  text += fmt::format("[parallelism]\ndata_parallel_replicate_degree = {}\ndata_parallel_shard_degree = {}\n",
                      plan.data / shards, shards);
  text += fmt::format("fsdp_reshard_after_forward = \"{}\"\n", plan.shards > 1 ? "always" : "never");
  text += fmt::format("tensor_parallel_degree = {}\npipeline_parallel_degree = {}\n", plan.tensor, plan.pipeline);
  if (plan.pipeline > 1) {
    text += fmt::format("pipeline_parallel_schedule = \"{}\"\npipeline_parallel_microbatch_size = {}\n",
                        plan.interleave > 1 ? "Interleaved1F1B" : "1F1B", plan.micro_batch);
    // Else it takes a layer from the first and the last stage.
    text += "pipeline_parallel_first_stage_less_layers = 0\npipeline_parallel_last_stage_less_layers = 0\n";
    if (plan.interleave > 1) {
      text +=
          fmt::format("pipeline_parallel_layers_per_stage = {}\n", job.size.layers / (plan.pipeline * plan.interleave));
    }
    if (!plan.stage_layers.empty()) text += stage_modules(plan.stage_layers);
  }
  text += fmt::format("\n[activation_checkpoint]\nmode = \"{}\"\n", to_string(plan.recompute));
  return text + (plan.recompute == Recompute::selective ? "selective_ac_option = \"op\"\n" : "");
}

std::string megatron_arguments(const GptAnswer& answer) {
  const GptPlan& plan = best_of(answer);
  const GptJob& job = answer.job;
  std::string text = fmt::format(
      "--num-layers {}\n--hidden-size {}\n--num-attention-heads {}\n--seq-length {}\n--max-position-embeddings {}\n",
      job.size.layers, job.size.hidden, job.size.heads, job.size.max_seq_len, job.size.max_seq_len);
  text += fmt::format("--micro-batch-size {}\n--global-batch-size {}\n", plan.micro_batch, job.global_batch);
  text +=
      fmt::format("--tensor-model-parallel-size {}\n--pipeline-model-parallel-size {}\n", plan.tensor, plan.pipeline);
  if (job.dtype != DType::fp32) text += fmt::format("--{}\n", to_string(job.dtype));
  if (plan.interleave > 1) {
    text += fmt::format("--num-layers-per-virtual-pipeline-stage {}\n",
                        job.size.layers / (plan.pipeline * plan.interleave));
  }
  if (!plan.stage_layers.empty() && plan.pipeline > 1) {
    text += fmt::format("--pipeline-model-parallel-layout {}\n", pipeline_layout(plan.stage_layers));
  }
  if (plan.sequence_parallel && plan.tensor > 1) text += "--sequence-parallel\n";
  if (plan.shards > 1) {
    text += "--use-megatron-fsdp\n--data-parallel-sharding-strategy optim_grads_params\n--ckpt-format fsdp_dtensor\n";
    if (plan.data > plan.shards) {
      text += fmt::format("--num-distributed-optimizer-instances {}\n", plan.data / plan.shards);
    }
  }
  if (plan.shards > 1 || plan.shard_optimizer) text += "--use-distributed-optimizer\n";
  if (plan.recompute == Recompute::selective) text += "--recompute-granularity selective\n";
  if (plan.recompute == Recompute::full) {
    text += "--recompute-granularity full\n--recompute-method uniform\n--recompute-num-layers 1\n";
  }
  return text;
}

}  // namespace stash
