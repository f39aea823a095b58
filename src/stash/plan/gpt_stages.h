#pragma once

#include <vector>

#include "stash/plan/gpt_plan.h"
#include "stash/plan/gpt_shard.h"

namespace stash {

// Where a stage of the pipeline is and what it has.
struct GptStage {
  int kind = 0;  // of GptJob::kinds
  int index = 0;
  int layers = 0;
  bool first = false;
  bool last = false;
};
std::vector<GptStage> stages_of(const GptJob& job, const GptPlan& plan);

int micro_batches(const GptJob& job, const GptPlan& plan);

// One micro-batch through one stage.
struct StageTime {
  double compute_s = 0;  // forward and backward
  double tensor_s = 0;   // exchanges within layers
  double handed_s = 0;   // what comes from the stage before and goes back to it
  double total_s() const { return compute_s + tensor_s + handed_s; }
};
StageTime stage_time(const GptJob& job, const GptPlan& plan, const GptStage& stage, const GptShardTimes& shard,
                     const GptCosts& costs);

// Bytes that a rank of a stage needs.
struct StageMemory {
  double weights = 0;      // with gradients and what the optimizer keeps
  double activations = 0;  // of all micro-batches under way
  double working = 0;      // of the layer at work
  double total() const { return weights + activations + working; }
};
StageMemory stage_memory(const GptJob& job, const GptPlan& plan, const GptStage& stage);

double stage_parameters(const GptStage& stage, const GptShardTimes& shard);

// The ranks that exchange something, as a cluster of their own: `ranks` of a node's, and how many such groups share
// the node's network.
Cluster group_cluster(const GptNodes& nodes, int ranks, int stride);
double all_reduce_s(const Cluster& cluster, double bytes);

}  // namespace stash
