#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "stash/core/error.h"
#include "stash/plan/gpt_stages.h"

namespace stash {
namespace {

constexpr std::array<std::string_view, 3> kRecomputes{"none", "selective", "full"};

std::string why_no_stages(const GptJob& job, const GptPlan& plan) {
  if (plan.stage_layers.empty()) {
    if (job.size.layers % (plan.pipeline * plan.interleave) == 0) return {};
    return fmt::format("{} layers cannot be split into {} equal stages{}: {}", job.size.layers, plan.pipeline,
                       plan.interleave > 1 ? fmt::format(" of {} pieces", plan.interleave) : "",
                       nearest_divisors(job.size.layers, plan.pipeline * plan.interleave));
  }
  if (plan.interleave > 1) return "interleaved pieces need stages of equal depth, on machines of one kind";
  const int sum = std::accumulate(plan.stage_layers.begin(), plan.stage_layers.end(), 0);
  if (static_cast<int>(plan.stage_layers.size()) != plan.pipeline || sum != job.size.layers ||
      std::ranges::min(plan.stage_layers) < 1) {
    return fmt::format("the stages do not hold the model's {} layers in {} stages", job.size.layers, plan.pipeline);
  }
  return {};
}

std::string why_no_batch(const GptJob& job, const GptPlan& plan) {
  const int part = plan.data * plan.micro_batch;
  if (job.global_batch % part == 0 && job.global_batch >= part) return {};
  return fmt::format(
      "a global batch of {} is no multiple of {} data-parallel ranks times a micro-batch of {}: the nearest multiples "
      "are {} and {}",
      job.global_batch, plan.data, plan.micro_batch, std::max(1, job.global_batch / part) * part,
      (job.global_batch / part + 1) * part);
}

}  // namespace

std::string nearest_divisors(int number, int near) {
  int below = 1, above = number;
  for (int i = 1; i <= number; ++i) {
    if (number % i != 0) continue;
    if (i <= near) below = i;
    if (i >= near) above = std::min(above, i);
  }
  return below == above ? fmt::format("the nearest number that divides is {}", below)
                        : fmt::format("the nearest numbers that divide are {} or {}", below, above);
}

std::string_view to_string(Recompute recompute) { return kRecomputes[static_cast<std::size_t>(recompute)]; }

Recompute parse_recompute(std::string_view name) {
  const auto found = std::ranges::find(kRecomputes, name);
  if (found == kRecomputes.end()) throw_unknown("recompute", name, kRecomputes);
  return static_cast<Recompute>(found - kRecomputes.begin());
}

std::string why_impossible(const GptJob& job, const GptPlan& plan) {
  if (std::min({plan.data, plan.tensor, plan.pipeline, plan.shards, plan.interleave, plan.micro_batch}) < 1) {
    return "every number of a plan is 1 or more";
  }
  if (plan.ranks() != job.gpus()) {
    return fmt::format("data {} x tensor {} x pipeline {} are {} GPUs, and there are {}", plan.data, plan.tensor,
                       plan.pipeline, plan.ranks(), job.gpus());
  }
  if (job.size.heads % plan.tensor != 0) {
    return fmt::format("{} heads cannot be split over {} tensor-parallel ranks: {}", job.size.heads, plan.tensor,
                       nearest_divisors(job.size.heads, plan.tensor));
  }
  if (plan.data % plan.shards != 0) {
    return fmt::format("{} data-parallel rank{} cannot be split into groups of {} shards: {}", plan.data,
                       plan.data == 1 ? "" : "s", plan.shards, nearest_divisors(plan.data, plan.shards));
  }
  if (plan.sequence_parallel && job.size.max_seq_len % plan.tensor != 0) {
    return fmt::format("sequences of {} tokens cannot be split over {} ranks", job.size.max_seq_len, plan.tensor);
  }
  if (plan.interleave > 1 && plan.pipeline == 1) return "interleaved pieces need more than one pipeline stage";
  if (std::string why = why_no_stages(job, plan); !why.empty()) return why;
  return why_no_batch(job, plan);
}

}  // namespace stash
