#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "stash/catalog/efficiency.h"
#include "stash/catalog/instance.h"
#include "stash/models/families.h"
#include "stash/plan/gpt_shard.h"
#include "stash/predict/cluster.h"

namespace stash {

// What the backward pass computes again: nothing, attention's scores, or whole blocks.
enum class Recompute { none, selective, full };
std::string_view to_string(Recompute recompute);
Recompute parse_recompute(std::string_view name);  // UsageError names the nearest

// How a language model is split. Ranks are data * tensor * pipeline.
struct GptPlan {
  int data = 1;
  int tensor = 1;
  int pipeline = 1;
  int shards = 1;      // ranks of `data` that share weights, gradients and optimizer state (fully or hybrid sharded)
  int interleave = 1;  // pieces of a pipeline stage
  int micro_batch = 1;
  bool sequence_parallel = false;
  bool shard_optimizer = false;  // its state over the ranks of `data`
  Recompute recompute = Recompute::none;
  std::vector<int> stage_layers{};  // blocks of each stage; empty: equal

  int ranks() const { return data * tensor * pipeline; }
};

// Equal machines that hold one or more pipeline stages.
struct GptNodes {
  std::string name{};   // of the instance, or of the GPU where `by_gpu`
  bool by_gpu = false;  // GPUs were asked for, not machines
  std::string gpu_name{};
  const Gpu* gpu = nullptr;
  int nodes = 1;
  int per_node = 8;
  double memory_bytes = 0;  // of a GPU
  Cluster cluster{};        // rates of its links, and of the network where there are several nodes
  double usd_per_h = 0;     // of all nodes; 0: not known
  int counted(int machines) const { return by_gpu ? machines * per_node : machines; }  // as they were asked for
};

// A GPT and where it is trained. Kinds stand in the order of the pipeline's stages.
struct GptJob {
  GptSize size{};
  int global_batch = 1;
  DType dtype = DType::bf16;
  std::vector<GptNodes> kinds{};

  int gpus() const;
};

// Seconds of a step by cause; they sum to step_s.
struct GptStep {
  double step_s = 0;
  double compute_s = 0;       // the busiest stage's passes and the optimizer
  double bubble_s = 0;        // waiting for the first and the last micro-batch to pass the pipeline
  double data_s = 0;          // sums of gradients
  double tensor_s = 0;        // exchanges within layers
  double pipeline_s = 0;      // activations handed from stage to stage
  double shards_s = 0;        // gathering weights, scattering gradients
  double interconnect_s = 0;  // of data, tensor, pipeline and shards: inside nodes
  double network_s = 0;       // between nodes
  double memory_bytes = 0;    // of the GPU that needs most of what it has
  double memory_ratio = 0;    // its need over what it has
};

// What programs for language models cost beside the roofline of their layers, fitted to published steps by
// bench/plan_gpt; docs/planning.md.
struct GptCosts {
  double launch_ratio = 0.912;      // of the CPU's launches of a block's kernels
  double width_power = 0.095;       // wider matrix products reach more: time falls with this power of the hidden size
  double whole_head_ratio = 2.603;  // of the time of the vocabulary's product, on one rank
  double whole_loss_ratio = 0.245;  // of the loss, on one rank
  double split_head_ratio = 1.714;  // the same, split by tensor parallelism
  double split_loss_ratio = 0.081;
  double split_loss_s = 0.00098;           // of the loss's own sums over the words, for each micro-batch
  double sum_host_s = 7.18e-05;            // of a tensor-parallel sum on the CPU
  double sum_wait_s = 8e-05;               // the same on the GPU, for the rank that comes last; by hand
  double plain_softmax_host_s = 0.000881;  // of a block's softmax on the CPU, where the fused kernel cannot be used
  double crowd_host_s = 0.000167;          // more of it with all eight ranks of a node
  double crowd_power = 9.91;               // how that grows with the ranks
  double waits_ratio = 0.896;              // of what ranks of several nodes wait for the slowest, as `predict` has it
  double handed_s = 0.000421;              // of handing over between stages, on the CPU, for each micro-batch
};

// Estimates of memory are high: allocators use buffers again. A plan is refused where even this share of them does not
// fit; all published plans that ran do.
inline constexpr double kLeastOfEstimate = 0.8;

std::string nearest_divisors(int number, int near);  // a clause: "the nearest numbers that divide are 4 or 8"

// Why a plan cannot be, in one sentence; empty: it can. Memory is not looked at.
std::string why_impossible(const GptJob& job, const GptPlan& plan);

struct GptStage;
struct StageTime;

// Steps of one job under many plans. Layer times are looked up once for each tensor-parallel size and micro-batch.
class GptStepper {
 public:
  explicit GptStepper(const GptJob& job, const GptCosts& costs = {});

  GptStep step(const GptPlan& plan);                            // UsageError for a plan that cannot be
  StageTime stage(const GptPlan& plan, const GptStage& stage);  // one micro-batch through it
  double block_s(int kind, const GptPlan& plan);                // of one block, forward and backward

 private:
  const GptShardTimes& times(int kind, const GptPlan& plan);

  const GptJob& job_;
  GptCosts costs_;
  std::map<std::tuple<int, int, int>, GptShardTimes> times_;
};

}  // namespace stash
