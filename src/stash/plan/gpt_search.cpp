#include "stash/plan/gpt_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/plan/gpt_stages.h"

namespace stash {
namespace {

constexpr int kMostTensor = 64;      // beyond, sums over networks leave nothing of a layer
constexpr int kMostMicroBatch = 64;  // published plans use up to 64
constexpr int kMostInterleave = 4;
constexpr double kOneNodeSpread = 0.22;  // of the logarithm: the 95th percentile of bench/plan_gpt --folds
constexpr double kSeveralNodesSpread = 0.26;
constexpr double kOtherGpuSpread = 0.35;  // of a generation that no step of a language model was fitted to

std::vector<int> divisors(int number, int most) {
  std::vector<int> found;
  for (int i = 1; i <= std::min(number, most); ++i) {
    if (number % i == 0) found.push_back(i);
  }
  return found;
}

template <class T>
std::vector<T> choices(const std::optional<T>& given, std::vector<T> all) {
  return given ? std::vector<T>{*given} : std::move(all);
}

class Search {
 public:
  Search(const GptJob& job, const GptSearch& search) : job_(job), given_(search), stepper_(job) {}

  GptPlans run() {
    const int gpus = job_.gpus();
    for (int tensor : choices(given_.tensor, divisors(job_.size.heads, kMostTensor))) {
      if (tensor < 1 || gpus % tensor != 0 || job_.size.heads % tensor != 0) continue;
      if (tensor == 1 && given_.sequence_parallel.value_or(false)) continue;  // it needs more than one
      for (int pipeline : choices(given_.pipeline, divisors(gpus / tensor, job_.size.layers))) {
        if (pipeline < 1 || gpus / tensor % pipeline != 0) continue;
        const int data = gpus / tensor / pipeline;
        if (given_.data && *given_.data != data) continue;
        try_split({.data = data, .tensor = tensor, .pipeline = pipeline});
      }
    }
    return std::move(found_);
  }

 private:
  // Every stage has to lie on nodes of one kind.
  bool stages_fit_kinds(const GptPlan& plan) const {
    if (job_.kinds.size() == 1) return true;
    return std::ranges::all_of(
        job_.kinds, [&](const GptNodes& kind) { return kind.nodes * kind.per_node % (plan.data * plan.tensor) == 0; });
  }

  void try_split(GptPlan plan) {
    if (!stages_fit_kinds(plan) || job_.global_batch % plan.data != 0) return;
    best_rejected_.reset();
    const std::size_t before = found_.plans.size();
    const bool equal = job_.kinds.size() == 1 && job_.size.layers % plan.pipeline == 0;
    for (int micro : choices(given_.micro_batch, divisors(job_.global_batch / plan.data, kMostMicroBatch))) {
      plan.micro_batch = micro;
      if (job_.global_batch % (plan.data * micro) != 0) continue;
      plan.stage_layers = equal ? std::vector<int>{} : balanced_layers(job_, plan, stepper_);
      if (!equal && plan.stage_layers.empty()) return;
      try_memory_savings(plan);
    }
    if (found_.plans.size() == before && best_rejected_) reject(*best_rejected_);
  }

  void try_memory_savings(GptPlan plan) {
    plan.sequence_parallel =
        given_.sequence_parallel.value_or(plan.tensor > 1 && job_.size.max_seq_len % plan.tensor == 0);
    const int per_node = job_.kinds.front().per_node;
    std::vector<int> groups{1};
    for (int shards : {std::max(1, per_node / plan.tensor), plan.data}) {
      if (shards > groups.back() && plan.data % shards == 0 && plan.pipeline == 1) groups.push_back(shards);
    }
    for (Recompute recompute : choices(given_.recompute, {Recompute::none, Recompute::selective, Recompute::full})) {
      plan.recompute = recompute;
      for (int shards : choices(given_.shards, groups)) {
        plan.shards = shards;
        for (bool shard_optimizer : choices(given_.shard_optimizer, optimizer_choices(plan))) {
          plan.shard_optimizer = shard_optimizer;
          for (int interleave : choices(given_.interleave, interleave_choices(plan))) {
            plan.interleave = interleave;
            consider(plan);
          }
        }
      }
    }
  }

  static std::vector<bool> optimizer_choices(const GptPlan& plan) {
    return plan.data > plan.shards ? std::vector<bool>{false, true} : std::vector<bool>{false};
  }

  std::vector<int> interleave_choices(const GptPlan& plan) const {
    std::vector<int> all{1};
    for (int pieces = 2; plan.pipeline > 1 && pieces <= kMostInterleave; pieces *= 2) {
      if (plan.stage_layers.empty() && job_.size.layers % (plan.pipeline * pieces) == 0 &&
          micro_batches(job_, plan) % plan.pipeline == 0) {
        all.push_back(pieces);
      }
    }
    return all;
  }

  void consider(const GptPlan& plan) {
    if (!why_impossible(job_, plan).empty()) return;
    ++found_.tried;
    const GptStep step = stepper_.step(plan);
    if (step.memory_ratio <= most_memory_ratio_) {
      found_.plans.push_back(ranked(job_, plan, step));
    } else if (!best_rejected_ || step.memory_ratio < best_rejected_->step.memory_ratio) {
      best_rejected_ = RankedPlan{plan, step};
    }
  }

  void reject(const RankedPlan& plan) {
    const double has = plan.step.memory_bytes / plan.step.memory_ratio;
    const double missing = plan.step.memory_bytes - has;
    found_.rejected.push_back(
        {plan.plan,
         fmt::format("needs {} of GPU memory and has {}: {} are missing", format_bytes(plan.step.memory_bytes),
                     format_bytes(has), format_bytes(missing)),
         missing});
  }

  const GptJob& job_;
  const GptSearch& given_;
  GptStepper stepper_;
  // A split that somebody asks for is refused where it surely does not fit; one that is recommended has to fit.
  const double most_memory_ratio_ = given_.tensor && given_.pipeline && given_.micro_batch ? 1 / kLeastOfEstimate : 1;
  GptPlans found_;
  std::optional<RankedPlan> best_rejected_;
};

// A plan with less to set up comes before one that is as fast.
int settings(const GptPlan& plan) {
  return (plan.shards > 1) + plan.shard_optimizer + (plan.interleave > 1) + plan.sequence_parallel +
         static_cast<int>(plan.recompute);
}

bool is_better(const RankedPlan& a, const RankedPlan& b) {
  if (a.step.step_s != b.step.step_s) return a.step.step_s < b.step.step_s;
  return settings(a.plan) < settings(b.plan);
}

}  // namespace

RankedPlan ranked(const GptJob& job, const GptPlan& plan, const GptStep& step) {
  const bool several = job.kinds.size() > 1 || job.kinds.front().nodes > 1;
  double spread = several ? kSeveralNodesSpread : kOneNodeSpread;
  for (const GptNodes& kind : job.kinds) {
    if (kind.gpu->generation != Generation::ampere) spread = std::hypot(spread, kOtherGpuSpread);
  }
  return {plan, step, step.step_s * std::exp(-spread), step.step_s * std::exp(spread)};
}

std::vector<int> balanced_layers(const GptJob& job, GptPlan plan, GptStepper& stepper) {
  std::vector<double> speed;  // of each stage
  plan.stage_layers.assign(static_cast<std::size_t>(plan.pipeline), 1);
  const std::vector<GptStage> stages = stages_of(job, plan);
  for (const GptStage& stage : stages) speed.push_back(1 / stepper.block_s(stage.kind, plan));
  if (job.size.layers < plan.pipeline) return {};
  // One block after the other to the stage that would then take the least.
  std::vector<int> layers(speed.size(), 1);
  for (int left = job.size.layers - plan.pipeline; left > 0; --left) {
    std::size_t best = 0;
    for (std::size_t s = 1; s < layers.size(); ++s) {
      if ((layers[s] + 1) / speed[s] < (layers[best] + 1) / speed[best]) best = s;
    }
    ++layers[best];
  }
  return layers;
}

GptPlans search_plans(const GptJob& job, const GptSearch& search, int most) {
  check_given(job, search);
  GptPlans found = Search(job, search).run();
  const auto kept = std::min(found.plans.size(), static_cast<std::size_t>(most));
  std::partial_sort(found.plans.begin(), found.plans.begin() + static_cast<std::ptrdiff_t>(kept), found.plans.end(),
                    is_better);
  found.plans.resize(kept);
  return found;
}

}  // namespace stash
