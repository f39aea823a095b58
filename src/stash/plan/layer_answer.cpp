#include "stash/plan/layer_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/core/error.h"
#include "stash/plan/published_networks.h"

namespace stash {
namespace {

constexpr double kGradientBytes = 4;  // sums of gradients are fp32, as in `predict`

LayerPlanRules rules_of(const LayerJob& job, const LayerDevices& described, const LayerWishes& wishes) {
  LayerPlanRules rules;
  rules.batch = job.batch;
  rules.element_bytes = element_bytes(job.dtype);
  rules.smallest_ratio = wishes.smallest_ratio;
  if (described.as_published) {
    rules.overlaps = false;
  } else {
    rules.gradient_bytes = kGradientBytes;
  }
  return rules;
}

// Layer times and rates are wrong independently of each other.
void set_interval(LayerPlan& plan, const LayerDevices& described) {
  if (described.as_published) return;
  const double exchanged_s = plan.step_s - plan.compute_s;
  const double links = described.links_ratio;
  const double low_s = std::hypot(plan.compute_s * (1 - described.compute_low_ratio), exchanged_s * (1 - 1 / links));
  const double high_s = std::hypot(plan.compute_s * (described.compute_high_ratio - 1), exchanged_s * (links - 1));
  plan.interval = Estimate{plan.step_s, plan.step_s - low_s, plan.step_s + high_s};
}

void set_intervals(LayerPlans& plans, const LayerDevices& described) {
  for (LayerPlan* plan : {&plans.best, &plans.data, &plans.data_best_ratio, &plans.owt, &plans.hypar}) {
    set_interval(*plan, described);
  }
  if (plans.second) set_interval(*plans.second, described);
  if (plans.fast_only) set_interval(*plans.fast_only, described);
}

std::vector<std::string> left_out(const LayerPlans& plans, std::span<const DeviceKind> kinds) {
  std::vector<std::string> names;
  if (!plans.fast_only || plans.fast_only->step_s >= plans.best.step_s) return names;
  for (const DeviceKind& kind : kinds) {
    if (kind.text() != plans.fast_kind) names.push_back(kind.text());
  }
  return names;
}

LayerPlan published_plan(const SplitNetwork& network, int levels, const LayerPlanRules& rules, const char* name,
                         const std::vector<unsigned>& allowed) {
  LayerPlan plan = plan_published(network, levels, rules, allowed);
  plan.name = name;
  return plan;
}

}  // namespace

LayerAnswer answer_layers(const LayerJob& job, std::span<const PlannedDevices> devices, const LayerWishes& wishes) {
  LayerAnswer answer;
  answer.model = job.graph.name;
  answer.devices = text_of(devices);
  answer.batch = job.batch;
  answer.dtype = to_string(job.dtype);
  answer.network = split_network(job.graph);
  LayerDevices described = layer_devices(devices, job, answer.network, wishes.what_if);
  const LayerPlanRules rules = rules_of(job, described, wishes);
  answer.kinds = described.kinds;
  answer.plans = plan_with_baselines(answer.network, answer.kinds, rules);
  answer.plans.second = second_best(answer.plans, answer.network, answer.kinds, rules);
  set_intervals(answer.plans, described);
  answer.left_out = left_out(answer.plans, answer.kinds);
  answer.binding = binding_of(answer.plans.best, answer.network, answer.kinds, rules);
  answer.worth = worth_of_more(answer.plans.best, answer.network, answer.kinds, rules);
  answer.assumptions = std::move(described.assumptions);
  return answer;
}

LayerAnswer answer_published(std::string_view model, int batch, int levels) {
  LayerAnswer answer;
  answer.model = model;
  answer.batch = batch;
  answer.published = true;
  answer.network = published_network(model);
  const LayerPlanRules rules{.batch = static_cast<double>(batch), .published = true};
  const auto plan = [&](const char* name, const std::vector<unsigned>& allowed) {
    return published_plan(answer.network, levels, rules, name, allowed);
  };
  answer.plans.best = plan("accpar", {});
  answer.plans.data = plan("data", data_types(answer.network));
  answer.plans.owt = plan("owt", owt_types(answer.network));
  answer.plans.hypar = plan("hypar", hypar_types(answer.network));
  answer.assumptions = {
      "costs are elements that are exchanged, halves are equal, nothing is computed: as in the "
      "published program"};
  return answer;
}

Ledger layer_ledger(const LayerPlan& plan) {
  Ledger ledger;
  ledger.step = plan.interval.value_or(Estimate{plan.step_s, plan.step_s, plan.step_s});
  const auto part = [&](double s) {
    const double ratio = plan.step_s > 0 ? s / plan.step_s : 0;
    return Estimate{s, ledger.step.low_s * ratio, ledger.step.high_s * ratio};
  };
  ledger[Part::compute] = part(plan.compute_s);
  if (plan.interconnect_s > 0) ledger[Part::interconnect] = part(plan.interconnect_s);
  if (plan.network_s > 0) ledger[Part::network] = part(plan.network_s);
  return ledger;
}

}  // namespace stash
