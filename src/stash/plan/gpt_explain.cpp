#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/plan/gpt_search.h"

namespace stash {
namespace {

constexpr double kMoreMemoryBytes = 8.0 * (1 << 30);
constexpr double kMoreNetwork = 100e9 / 8;
constexpr double kMoreLink = 100e9;
constexpr int kMostTimesNodes = 1024;
constexpr int kMostBatchOff = 128;  // of a global batch that is named instead
constexpr int kMostNodesMore = 32;
constexpr double kPlenty = 1e18;  // of memory: no plan needs as much

// 0 where nothing fits, or what was given of the plan cannot be.
double best_s(const GptJob& job, const GptSearch& search) {
  try {
    const GptPlans found = search_plans(job, search, 1);
    return found.plans.empty() ? 0 : found.plans.front().step.step_s;
  } catch (const UsageError&) {
    return 0;
  }
}

template <class Change>
GptJob changed(const GptJob& job, Change change) {
  GptJob other = job;
  for (GptNodes& kind : other.kinds) change(kind);
  return other;
}

std::string gpt_binding(const GptPlans& plans, const GptJob& job, const GptSearch& search) {
  const GptStep& step = plans.plans.front().step;
  const double unlimited = best_s(changed(job, [](GptNodes& kind) { kind.memory_bytes = kPlenty; }), search);
  if (unlimited > 0 && unlimited < step.step_s * 0.99) {
    return fmt::format("memory: without its limit the best plan would take {}", format_duration(unlimited));
  }
  const std::pair<double, std::string_view> causes[]{{step.compute_s, "computing"},
                                                     {step.bubble_s, "the pipeline's bubble"},
                                                     {step.network_s, "the network between nodes"},
                                                     {step.interconnect_s, "the links inside nodes"}};
  const auto most = *std::ranges::max_element(causes, {}, &std::pair<double, std::string_view>::first);
  return fmt::format("{}: {:.0f} % of the step", most.second, 100 * most.first / step.step_s);
}

// The smallest number of machines more over which the batch can be divided. What does not help can be left idle.
void add_nodes(GptPlans& plans, const GptJob& job, const GptSearch& search, std::size_t k) {
  GptJob larger = job;
  GptNodes& kind = larger.kinds[k];
  for (int more = 1; more <= kMostNodesMore; ++more) {
    kind.cluster.nodes = ++kind.nodes;
    const double s = best_s(larger, search);
    if (s <= 0) continue;
    plans.worth.push_back({"devices", fmt::format("{} more {}", kind.counted(more), kind.name),
                           std::max(0.0, plans.plans.front().step.step_s - s)});
    return;
  }
}

std::string nodes_text(const GptNodes& kind, int nodes) {
  return fmt::format("it fits on {}x{}", kind.counted(nodes), kind.name);
}

// The nearest global batch over which some plan divides; empty: none is near.
std::string nearest_batch(const GptJob& job, const GptSearch& search) {
  for (int by = 1; by <= kMostBatchOff; ++by) {
    for (const int batch : {job.global_batch - by, job.global_batch + by}) {
      GptJob other = job;
      other.global_batch = batch;
      if (batch >= 1 && best_s(other, search) > 0) return fmt::format("; the nearest that divides is {}", batch);
    }
  }
  return "";
}

// The smallest number of nodes that fits, of all kinds as many times; empty: none up to the most.
std::string more_nodes(const GptJob& job, const GptSearch& search) {
  const auto fits = [&](int nodes, int of) {
    const GptJob larger =
        changed(job, [&](GptNodes& kind) { kind.cluster.nodes = kind.nodes = kind.nodes * nodes / of; });
    return best_s(larger, search) > 0;
  };
  for (int times = 2; times <= kMostTimesNodes; times *= 2) {
    if (!fits(times, 1)) continue;
    if (job.kinds.size() > 1) return fmt::format("it fits on {} times as many nodes", times);
    const int before = job.kinds.front().nodes, enough = before * times;
    // Few numbers divide well: those between are tried in even steps.
    const int step = std::max(1, enough / 2 / kMostNodesMore);
    for (int nodes = enough / 2 + step; nodes < enough; nodes += step) {
      if (fits(nodes, before)) return nodes_text(job.kinds.front(), nodes);
    }
    return nodes_text(job.kinds.front(), enough);
  }
  return "";
}

// What was given of the plan may be what does not fit.
std::string less_given(const GptJob& job) {
  const GptPlans free = search_plans(job, {}, 1);
  if (free.plans.empty()) return "";
  const GptPlan& plan = free.plans.front().plan;
  std::string text = fmt::format("it fits with data {} x tensor {} x pipeline {}, micro-batch {}", plan.data,
                                 plan.tensor, plan.pipeline, plan.micro_batch);
  if (plan.shards > 1) text += fmt::format(", shards {}", plan.shards);
  if (plan.shard_optimizer) text += ", sharded optimizer";
  if (plan.recompute != Recompute::none) text += fmt::format(", recompute {}", to_string(plan.recompute));
  return text;
}

}  // namespace

void explain(GptPlans& plans, const GptJob& job, const GptSearch& search) {
  if (plans.plans.empty()) return;
  const double now_s = plans.plans.front().step.step_s;
  plans.binding = gpt_binding(plans, job, search);
  const auto add = [&](const char* resource, std::string more, const GptJob& with) {
    const double s = best_s(with, search);
    if (s > 0) plans.worth.push_back({resource, std::move(more), now_s - s});
  };
  add("memory", fmt::format("{} more of each GPU", format_bytes(kMoreMemoryBytes)),
      changed(job, [](GptNodes& kind) { kind.memory_bytes += kMoreMemoryBytes; }));
  add("links", "100 GB/s more of each GPU",
      changed(job, [](GptNodes& kind) { kind.cluster.link_bytes_per_s += kMoreLink; }));
  if (job.kinds.size() > 1 || job.kinds.front().nodes > 1) {
    add("network", "100 Gbit/s more of each node",
        changed(job, [](GptNodes& kind) { kind.cluster.network_bytes_per_s += kMoreNetwork; }));
  }
  for (std::size_t k = 0; k < job.kinds.size(); ++k) add_nodes(plans, job, search, k);
  std::ranges::stable_sort(plans.worth, std::greater{}, &PlanWorth::saved_s);
}

void throw_no_plan(const GptPlans& plans, const GptJob& job, const GptSearch& search) {
  if (plans.rejected.empty()) {
    throw UsageError(
        fmt::format("no plan divides {} heads, {} layers and a global batch of {} over {} GPUs: give "
                    "another --global-batch or number of nodes{}",
                    job.size.heads, job.size.layers, job.global_batch, job.gpus(), nearest_batch(job, search)));
  }
  std::string change = less_given(job);
  if (change.empty()) change = more_nodes(job, search);
  if (change.empty()) change = fmt::format("no number of nodes up to {} times as many fits", kMostTimesNodes);
  const auto least = std::ranges::min_element(plans.rejected, {}, &RejectedPlan::missing_bytes);
  throw Error(fmt::format("{} fits nowhere on {} GPUs: the plan that needs the least lacks {} of memory per GPU; {}",
                          job.size.name, job.gpus(), format_bytes(least->missing_bytes), change));
}

}  // namespace stash
