#include <algorithm>

#include "stash/plan/gpt_stages.h"

namespace stash {
namespace {

// Per parameter in mixed precision: weight and gradient in half precision, and in fp32 a copy and Adam's two moments.
constexpr double kWeightAndGradient = 4;
constexpr double kOptimizerState = 12;

// Bytes of a block's activations per token and hidden unit (Korthikanti et al., "Reducing activation recomputation in
// large transformer models"): what every tensor-parallel rank keeps, and what it keeps a share of.
constexpr double kReplicatedActivations = 10;
constexpr double kSplitActivations = 24;
constexpr double kScoreBytes = 5;      // per head, token and token, where scores go through memory
constexpr double kLogitBytes = 6;      // per token and word: half precision, fp32, gradient in place
constexpr double kKeptInputBytes = 2;  // per token and hidden unit, of a block that is computed again

double parameters(const GptJob& job, const GptPlan& plan, const GptStage& stage) {
  const double h = job.size.hidden, t = plan.tensor;
  const double block = 12 * h * h / t + 13 * h;
  const double words = static_cast<double>(job.size.vocabulary) * h / t;
  return stage.layers * block + (stage.first || stage.last ? words : 0) +
         (stage.first ? static_cast<double>(job.size.max_seq_len) * h : 0);
}

double block_activations(const GptJob& job, const GptPlan& plan, Recompute recompute) {
  const double tokens = static_cast<double>(plan.micro_batch) * job.size.max_seq_len;
  const double h = job.size.hidden, t = plan.tensor, s = plan.sequence_parallel ? t : 1;
  if (recompute == Recompute::full) return kKeptInputBytes * tokens * h / s;
  const double scores = recompute == Recompute::selective || job.size.fused_attention
                            ? 0
                            : kScoreBytes * job.size.heads * job.size.max_seq_len / t;
  return tokens * (h * (kReplicatedActivations / s + kSplitActivations / t) + scores);
}

}  // namespace

StageMemory stage_memory(const GptJob& job, const GptPlan& plan, const GptStage& stage) {
  const double count = parameters(job, plan, stage);
  const double optimizer_over = std::max(plan.shards, plan.shard_optimizer ? plan.data : 1);
  StageMemory memory;
  memory.weights = count * (kWeightAndGradient / plan.shards + kOptimizerState / optimizer_over);
  // One forward, one backward: a stage holds as many micro-batches as stages follow, itself with them.
  const double under_way = std::min(micro_batches(job, plan), plan.pipeline - stage.index) *
                           (plan.interleave > 1 ? 1 + (plan.pipeline - 1.0) / (plan.pipeline * plan.interleave) : 1);
  memory.activations = under_way * stage.layers * block_activations(job, plan, plan.recompute);
  const double tokens = static_cast<double>(plan.micro_batch) * job.size.max_seq_len;
  const double logits = stage.last ? kLogitBytes * tokens * job.size.vocabulary / plan.tensor : 0;
  const double again = plan.recompute == Recompute::none ? 0 : block_activations(job, plan, Recompute::none);
  const double gathered = plan.shards > 1 ? 2 * kWeightAndGradient / 2 * count / std::max(1, stage.layers) : 0;
  memory.working = std::max(logits, again) + gathered;
  return memory;
}

}  // namespace stash
