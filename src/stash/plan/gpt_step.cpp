#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "stash/core/error.h"
#include "stash/plan/gpt_stages.h"

namespace stash {
namespace {

constexpr double kGradientBytesSummed = 2;  // as Megatron-LM sums them in half precision

struct StageCost {
  StageTime time;
  double data_s = 0;
  double shards_s = 0;
  double update_s = 0;
};

double update_s(const GptPlan& plan, const GptStage& stage, const GptShardTimes& shard) {
  PassTime sum{stage.layers * shard.block_update.gpu_s, stage.layers * shard.block_update.host_s};
  if (stage.first || stage.last) sum += shard.embedding_update;
  const int over = std::max(plan.shards, plan.shard_optimizer ? plan.data : 1);
  return joined_s({sum.gpu_s / over, sum.host_s});
}

// Weights are gathered for each micro-batch's forward and backward pass and gradients scattered; both travel while
// blocks compute, so what is longer decides.
double exposed_shards_s(const GptJob& job, const GptPlan& plan, const GptStage& stage, const GptShardTimes& shard,
                        const StageTime& time, int micro) {
  if (plan.shards == 1) return 0;
  const Cluster cluster = group_cluster(job.kinds[static_cast<std::size_t>(stage.kind)], plan.shards, plan.tensor);
  const double bytes = stage_parameters(stage, shard) * element_bytes(job.dtype);
  const double half_s = all_reduce_s(cluster, bytes) / 2;  // a gather or a scatter
  const double each_s = 3 * half_s;
  const double first_s = half_s / std::max(1, stage.layers);  // nothing to hide behind yet
  return micro * std::max(first_s, each_s - time.compute_s * (1 - cluster.joined_costs.overlap_ratio));
}

double summed_s(const GptJob& job, const GptPlan& plan, const GptStage& stage, const GptShardTimes& shard) {
  const int groups = plan.data / plan.shards;
  if (groups == 1) return 0;
  const GptNodes& nodes = job.kinds[static_cast<std::size_t>(stage.kind)];
  const Cluster cluster = group_cluster(nodes, groups, plan.tensor * plan.shards);
  return all_reduce_s(cluster, stage_parameters(stage, shard) * kGradientBytesSummed / plan.shards);
}

class StepSum {
 public:
  StepSum(const GptJob& job, const GptPlan& plan, const GptCosts& costs)
      : job_(job), plan_(plan), costs_(costs), micro_(micro_batches(job, plan)) {}

  void add(const GptStage& stage, const GptShardTimes& shard) {
    const bool as_before = last_ && last_->kind == stage.kind && last_->layers == stage.layers &&
                           last_->first == stage.first && last_->last == stage.last;
    last_ = stage;
    if (as_before) {
      const StageCost same = stages_.back();
      stages_.push_back(same);
      return;
    }
    StageCost cost;
    cost.time = stage_time(job_, plan_, stage, shard, costs_);
    cost.data_s = summed_s(job_, plan_, stage, shard);
    cost.shards_s = exposed_shards_s(job_, plan_, stage, shard, cost.time, micro_);
    cost.update_s = update_s(plan_, stage, shard);
    stages_.push_back(cost);
  }

  GptStep step() const {
    const StageCost& slow = *std::ranges::max_element(
        stages_, {}, [&](const StageCost& stage) { return stage.time.total_s() * micro_ + stage.shards_s; });
    double fill_s = 0;
    for (const StageCost& stage : stages_) fill_s += stage.time.total_s();
    GptStep step;
    step.bubble_s = (fill_s - slow.time.total_s()) / plan_.interleave;
    step.tensor_s = micro_ * slow.time.tensor_s;
    step.pipeline_s = micro_ * slow.time.handed_s;
    step.shards_s = slow.shards_s;
    double data_s = 0, updating_s = 0;
    for (const StageCost& stage : stages_) {
      data_s = std::max(data_s, stage.data_s);
      updating_s = std::max(updating_s, stage.update_s);
    }
    step.data_s = data_s;
    step.compute_s = micro_ * slow.time.compute_s + updating_s;
    step.step_s = step.compute_s + step.bubble_s + step.data_s + step.tensor_s + step.pipeline_s + step.shards_s;
    set_places(step);
    return step;
  }

 private:
  // Inside nodes or between them, by the ranks that exchange.
  void set_places(GptStep& step) const {
    const int per_node = job_.kinds.front().per_node;
    const auto place = [&](double s, int ranks, int stride) {
      (ranks * stride > per_node ? step.network_s : step.interconnect_s) += s;
    };
    place(step.tensor_s, plan_.tensor, 1);
    place(step.data_s, plan_.data, plan_.tensor);
    place(step.shards_s, plan_.shards, plan_.tensor);
    place(step.pipeline_s, plan_.pipeline, plan_.tensor * plan_.data);
  }

  const GptJob& job_;
  const GptPlan& plan_;
  const GptCosts& costs_;
  int micro_ = 1;
  std::vector<StageCost> stages_;
  std::optional<GptStage> last_;
};

}  // namespace

int GptJob::gpus() const {
  int sum = 0;
  for (const GptNodes& kind : kinds) sum += kind.nodes * kind.per_node;
  return sum;
}

GptStepper::GptStepper(const GptJob& job, const GptCosts& costs) : job_(job), costs_(costs) {}

const GptShardTimes& GptStepper::times(int kind, const GptPlan& plan) {
  const auto [found, is_new] = times_.try_emplace({kind, plan.tensor, plan.micro_batch});
  if (is_new) {
    const Gpu& gpu = *job_.kinds[static_cast<std::size_t>(kind)].gpu;
    found->second =
        gpt_shard_times({job_.size, plan.tensor, plan.micro_batch, job_.dtype}, gpu, efficiency_of(gpu.generation));
  }
  return found->second;
}

StageTime GptStepper::stage(const GptPlan& plan, const GptStage& stage) {
  return stage_time(job_, plan, stage, times(stage.kind, plan), costs_);
}

double GptStepper::block_s(int kind, const GptPlan& plan) {
  return stage_time(job_, plan, {.kind = kind, .layers = 1}, times(kind, plan), costs_).total_s();
}

GptStep GptStepper::step(const GptPlan& plan) {
  if (const std::string why = why_impossible(job_, plan); !why.empty()) throw UsageError(why);
  const std::vector<GptStage> stages = stages_of(job_, plan);
  StepSum sum(job_, plan, costs_);
  for (const GptStage& stage : stages) sum.add(stage, times(stage.kind, plan));
  GptStep step = sum.step();
  for (const GptStage& stage : stages) {
    const double bytes = stage_memory(job_, plan, stage).total();
    const double has = job_.kinds[static_cast<std::size_t>(stage.kind)].memory_bytes;
    const double ratio = has > 0 ? bytes / has : 0;
    if (stage.first || ratio > step.memory_ratio) step.memory_bytes = bytes, step.memory_ratio = ratio;
  }
  return step;
}

}  // namespace stash
