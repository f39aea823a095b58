#include "stash/plan/gpt_stages.h"

#include <algorithm>
#include <cmath>

#include "stash/predict/all_reduce.h"

namespace stash {
namespace {

// Sums of activations that tensor-parallel ranks need for each block.
constexpr double kForwardSums = 2;
constexpr double kBackwardSums = 2;

constexpr double kCostsWidth = 2048;  // hidden size whose matrix products the roofline was fitted to
constexpr double kCrowd = 8;          // ranks of a node that GptCosts::crowd_host_s is for

double sum_host_s(const GptCosts& costs, int ranks) {
  return costs.sum_host_s + costs.crowd_host_s * std::pow(ranks / kCrowd, costs.crowd_power);
}

PassTime scaled(const PassTime& time, double factor) { return {time.gpu_s * factor, time.host_s * factor}; }

PassTime minus_share(const PassTime& all, const PassTime& part, double share) {
  return {all.gpu_s - part.gpu_s * share, all.host_s};
}

// Megatron-LM has one kernel for scale, mask and softmax where samples times heads of a rank are a multiple of four,
// and sequences too; elsewhere PyTorch's five, and as many backward, on scores in fp32.
bool has_fused_softmax(const GptJob& job, const GptPlan& plan) {
  constexpr int kMultiple = 4;
  return job.size.fused_attention ||
         (plan.micro_batch * (job.size.heads / plan.tensor) % kMultiple == 0 && job.size.max_seq_len % kMultiple == 0);
}

PassTime plain_softmax(const GptJob& job, const GptPlan& plan, const GptStage& stage, const GptCosts& costs) {
  constexpr double kBytes = 68;  // per score, read and written beside what the fused kernels do
  const Gpu& gpu = *job.kinds[static_cast<std::size_t>(stage.kind)].gpu;
  const double tokens = job.size.max_seq_len;
  const double scores = static_cast<double>(plan.micro_batch) * job.size.heads / plan.tensor * tokens * tokens;
  const double passes = plan.recompute == Recompute::none ? 1 : 1.5;  // forward again
  const double rate = gpu.memory_bytes_per_s * efficiency_of(gpu.generation).memory_ratio;
  return {passes * kBytes * scores / rate, passes * costs.plain_softmax_host_s};
}

PassTime block_passes(const GptPlan& plan, const GptShardTimes& shard) {
  const double spared = plan.sequence_parallel ? 1 - 1.0 / plan.tensor : 0;
  const PassTime forward = minus_share(shard.block.forward, shard.replicated.forward, spared);
  PassTime sum = forward;
  sum += minus_share(shard.block.backward, shard.replicated.backward, spared);
  if (plan.recompute == Recompute::full) sum += forward;
  if (plan.recompute == Recompute::selective) sum += shard.attention;
  return sum;
}

double activation_bytes(const GptJob& job, const GptPlan& plan) {
  return static_cast<double>(plan.micro_batch) * job.size.max_seq_len * job.size.hidden * element_bytes(job.dtype);
}

double sums_of(const GptPlan& plan, const GptStage& stage) {
  const double each = kForwardSums + kBackwardSums + (plan.recompute == Recompute::full ? kForwardSums : 0);
  return stage.layers * each + (stage.first ? 1 : 0) + (stage.last ? 1 : 0);
}

// Activations forward and gradients back. All ranks of a node send at once; tensor-parallel ranks send a share each.
double handed_s(const GptJob& job, const GptPlan& plan, const GptStage& stage) {
  if (plan.pipeline == 1) return 0;
  const GptNodes& nodes = job.kinds[static_cast<std::size_t>(stage.kind)];
  const bool leaves_node = plan.pipeline * plan.data * plan.tensor > nodes.per_node;
  const double bytes = activation_bytes(job, plan) / plan.tensor;
  const Cluster& cluster = nodes.cluster;
  const double bytes_per_s = leaves_node ? cluster.network_bytes_per_s / nodes.per_node : cluster.link_bytes_per_s;
  const double latency_s = cluster.collective_s + (leaves_node ? cluster.network_latency_s : cluster.link_latency_s);
  return 2 * plan.interleave * (latency_s + bytes / bytes_per_s);
}

}  // namespace

std::vector<GptStage> stages_of(const GptJob& job, const GptPlan& plan) {
  std::vector<GptStage> stages;
  int kind = 0, ranks_left = job.kinds.front().nodes * job.kinds.front().per_node;
  for (int s = 0; s < plan.pipeline; ++s) {
    if (ranks_left < plan.data * plan.tensor && kind + 1 < static_cast<int>(job.kinds.size())) {
      ++kind;
      ranks_left = job.kinds[static_cast<std::size_t>(kind)].nodes * job.kinds[static_cast<std::size_t>(kind)].per_node;
    }
    ranks_left -= plan.data * plan.tensor;
    const int layers =
        plan.stage_layers.empty() ? job.size.layers / plan.pipeline : plan.stage_layers[static_cast<std::size_t>(s)];
    stages.push_back({.kind = kind, .index = s, .layers = layers, .first = s == 0, .last = s + 1 == plan.pipeline});
  }
  return stages;
}

int micro_batches(const GptJob& job, const GptPlan& plan) { return job.global_batch / (plan.data * plan.micro_batch); }

Cluster group_cluster(const GptNodes& nodes, int ranks, int stride) {
  Cluster cluster = nodes.cluster;
  const int on_node = std::clamp(nodes.per_node / stride, 1, ranks);
  cluster.ranks_per_node = on_node;
  cluster.nodes = (ranks + on_node - 1) / on_node;
  cluster.network_bytes_per_s /= std::clamp(stride, 1, nodes.per_node);
  return cluster;
}

double all_reduce_s(const Cluster& cluster, double bytes) {
  const AllReduceChoice choice = AllReduceChoice::among_all(cluster);
  return choice.empty() || bytes <= 0 ? 0 : choice.for_bytes(bytes).s(bytes);
}

StageTime stage_time(const GptJob& job, const GptPlan& plan, const GptStage& stage, const GptShardTimes& shard,
                     const GptCosts& costs) {
  const GptNodes& nodes = job.kinds[static_cast<std::size_t>(stage.kind)];
  PassTime blocks = scaled(block_passes(plan, shard), stage.layers);
  blocks.gpu_s *= std::pow(kCostsWidth / job.size.hidden, costs.width_power);
  blocks.host_s *= costs.launch_ratio;
  if (!has_fused_softmax(job, plan)) blocks += scaled(plain_softmax(job, plan, stage, costs), stage.layers);
  const bool split = plan.tensor > 1;
  PassTime ends;  // before and after the blocks, where the GPU has caught up with the CPU
  const auto add = [&](bool has, const PartTime& part, double ratio) {
    if (!has) return;
    ends += scaled(part.forward, ratio);
    ends += scaled(part.backward, ratio);
  };
  add(stage.first, shard.embedding, 1);
  add(stage.last, shard.head, split ? costs.split_head_ratio : costs.whole_head_ratio);
  add(stage.last, shard.loss, split ? costs.split_loss_ratio : costs.whole_loss_ratio);
  if (stage.last && split) ends.gpu_s += costs.split_loss_s;
  const double waits =
      nodes.cluster.nodes > 1
          ? 1 + costs.waits_ratio * (nodes.cluster.joined_costs.wait_ratio - nodes.cluster.node_costs.wait_ratio)
          : 1;  // for the slowest of many nodes
  StageTime time;
  time.compute_s = (joined_s(blocks) + joined_s(ends)) * waits;
  if (plan.tensor > 1) {
    const double sums = sums_of(plan, stage);
    // Kernels of collectives wait in the GPU's queue like others: they cost little while the CPU launches too slowly.
    const double sum_s = all_reduce_s(group_cluster(nodes, plan.tensor, 1), activation_bytes(job, plan));
    blocks.gpu_s += sums * (sum_s + costs.sum_wait_s);
    blocks.host_s += sums * sum_host_s(costs, std::min(plan.tensor, nodes.per_node));
    time.tensor_s = (joined_s(blocks) + joined_s(ends)) * waits - time.compute_s;
  }
  time.handed_s = handed_s(job, plan, stage) + (plan.pipeline > 1 ? plan.interleave * costs.handed_s : 0);
  return time;
}

double stage_parameters(const GptStage& stage, const GptShardTimes& shard) {
  return stage.layers * shard.block_parameters + (stage.first || stage.last ? shard.embedding_parameters : 0) +
         (stage.first ? shard.positions_parameters : 0);
}

}  // namespace stash
