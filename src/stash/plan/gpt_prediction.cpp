#include "stash/plan/gpt_prediction.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/plan/device_list.h"
#include "stash/plan/gpt_answer.h"
#include "stash/plan/gpt_nodes.h"
#include "stash/plan/gpt_stages.h"
#include "stash/predict/described_cluster.h"

namespace stash {
namespace {

constexpr int kFilling = 4;  // micro-batches for each stage: the bubble is then a fifth of the step at most

DType half_precision(const Gpu& gpu) {
  if (gpu.bf16_ops_per_s) return DType::bf16;
  return gpu.fp16_ops_per_s ? DType::fp16 : DType::fp32;
}

// One plan: what nobody gave is off.
GptSearch in_full(const GptSearch& given, int gpus) {
  GptSearch full = given;
  full.tensor = given.tensor.value_or(1);
  full.pipeline = given.pipeline.value_or(given.data ? std::max(1, gpus / (*given.data * *full.tensor)) : 1);
  full.data = given.data.value_or(std::max(1, gpus / (*full.tensor * *full.pipeline)));
  full.shards = given.shards.value_or(1);
  full.interleave = given.interleave.value_or(1);
  full.micro_batch = given.micro_batch.value_or(1);
  full.recompute = given.recompute.value_or(Recompute::none);
  full.sequence_parallel = given.sequence_parallel.value_or(false);
  full.shard_optimizer = given.shard_optimizer.value_or(false);
  return full;
}

// The same with whatever saves memory and was not given.
GptSearch with_savings(GptSearch full, const GptSearch& given) {
  full.recompute = given.recompute;
  full.sequence_parallel = given.sequence_parallel;
  full.shard_optimizer = given.shard_optimizer;
  return full;
}

std::string savings_sentence(const GptPlan& plan) {
  return fmt::format("so that it fits into memory: recompute {}{}{}", to_string(plan.recompute),
                     plan.shard_optimizer ? ", sharded optimizer" : "",
                     plan.sequence_parallel ? ", split sequences" : "");
}

int default_batch(const GptSearch& split) {
  const int passes = *split.pipeline > 1 ? kFilling * *split.pipeline : 1;
  return *split.data * *split.micro_batch * passes;
}

// GPUs of each node that are used; a string: why they cannot be.
std::variant<int, std::string> used_gpus(const Instance& instance, int nodes, std::optional<int> gpus) {
  if (!gpus) return instance.gpus;
  if (*gpus >= nodes && *gpus % nodes == 0 && *gpus / nodes <= instance.gpus) return *gpus / nodes;
  return fmt::format("has {} GPUs per node: {} nodes cannot give --gpus {}", instance.gpus, nodes, *gpus);
}

void add_machine(Prediction& prediction, const Instance& instance, const GptNodes& nodes, const WhatIf& what_if) {
  prediction.cloud = instance.cloud;
  prediction.instance = instance.name;
  prediction.gpu = instance.gpu;
  if (instance.usd_per_h) prediction.usd_per_h = *instance.usd_per_h * nodes.nodes;
  if (instance.spot_usd_per_h) prediction.spot_usd_per_h = *instance.spot_usd_per_h * nodes.nodes;
  const DescribedCluster described = describe_cluster(instance, nodes.nodes, nodes.per_node, what_if);
  for (const std::optional<ReachedRate>& rate : {described.links, described.network}) {
    if (!rate) continue;
    prediction.rates.push_back(*rate);
    prediction.assumptions.push_back(sentence_of(*rate));
  }
  if (nodes.per_node > 1 && instance.links) prediction.links = to_string(*instance.links);
  prediction.links_known = what_if.link_bytes_per_s || links_are_known(instance);
}

Prediction prediction_of(const GptJob& job, const RankedPlan& ranked) {
  const GptPlan& plan = ranked.plan;
  Prediction prediction;
  prediction.nodes = job.kinds.front().nodes;
  prediction.gpus = job.gpus();
  prediction.batch = plan.micro_batch;
  prediction.accumulation = micro_batches(job, plan);
  prediction.dtype = to_string(job.dtype);
  prediction.memory_bytes = ranked.step.memory_bytes;
  prediction.ledger = gpt_ledger(job, ranked);
  prediction.split = ModelSplit{plan.data, plan.tensor, plan.pipeline};
  prediction.assumptions.push_back("times as Megatron-LM reaches them, fitted to published steps on A100");
  if (ranked.may_not_fit()) {
    prediction.assumptions.push_back("it needs more memory than there is, by an estimate that is up to a quarter high");
  }
  return prediction;
}

}  // namespace

std::variant<Prediction, Rejected> predict_split(const SplitJob& job, const Instance& instance, int nodes,
                                                 std::optional<int> gpus, const WhatIf& what_if) {
  const auto reject = [&](std::string why) {
    return Rejected{.cloud = instance.cloud, .instance = instance.name, .nodes = nodes, .why = std::move(why)};
  };
  if (nodes < 1 || nodes > kMostPlannedDevices) {
    throw UsageError(fmt::format("--nodes {} is out of range: it takes 1 to {}", nodes, kMostPlannedDevices));
  }
  if (known_gpu(instance) == nullptr)
    return reject(fmt::format("the rates of its GPU ({}) are not known", instance.gpu));
  const auto each = used_gpus(instance, nodes, gpus);
  if (const auto* why = std::get_if<std::string>(&each)) return reject(*why);
  GptJob whole{.size = job.size, .kinds = {gpt_nodes(instance, nodes, std::get<int>(each), what_if)}};
  const GptSearch split = in_full(job.split, whole.gpus());
  whole.dtype = job.dtype.value_or(half_precision(*whole.kinds.front().gpu));
  whole.global_batch = job.global_batch.value_or(default_batch(split));
  GptPlans found = search_plans(whole, split, 1);
  const bool fits = !found.plans.empty();
  if (!fits) found = search_plans(whole, with_savings(split, job.split), 1);
  if (found.plans.empty() && !found.rejected.empty()) return reject(found.rejected.front().why);
  if (found.plans.empty()) throw_no_plan(found, whole, split);
  Prediction prediction = prediction_of(whole, found.plans.front());
  if (!fits) prediction.assumptions.push_back(savings_sentence(found.plans.front().plan));
  if (!job.dtype) prediction.assumptions.push_back(fmt::format("arithmetic in {}", prediction.dtype));
  if (!job.global_batch) {
    prediction.assumptions.push_back(fmt::format("a global batch of {}: {} pass{} per step", whole.global_batch,
                                                 prediction.accumulation, prediction.accumulation == 1 ? "" : "es"));
  }
  add_machine(prediction, instance, whole.kinds.front(), what_if);
  return prediction;
}

}  // namespace stash
