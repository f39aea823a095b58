#include "stash/battery/compare.h"

#include <algorithm>

#include "stash/battery/link_kind.h"
#include "stash/core/units.h"

namespace stash {
namespace {

double sample_s(const CaseResult& result) { return *result.epoch_s / *result.epoch_samples; }

std::vector<std::string> all_models(const std::vector<BatterySummary>& machines) {
  std::vector<std::string> models;
  for (const BatterySummary& machine : machines) {
    for (const std::string& model : models_of(machine)) {
      if (std::ranges::find(models, model) == models.end()) models.push_back(model);
    }
  }
  return models;
}

BestCase best_case(std::size_t machine, const BatterySummary& summary, const CaseResult& result, double samples) {
  const double grown = samples / *result.epoch_samples;
  BestCase best{.machine = machine,
                .name = result.of.name,
                .epoch = {*result.epoch_s * grown, *result.epoch_low_s * grown, *result.epoch_high_s * grown},
                .epoch_usd = {}};
  if (summary.usd_per_h) best.epoch_usd = best.epoch.s / kSecondsPerHour * *summary.usd_per_h;
  return best;
}

ModelComparison compare_model(const std::string& model, const std::vector<BatterySummary>& machines) {
  ModelComparison comparison{.model = model, .epoch_samples = 0, .machines = {}, .cheapest = {}};
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const CaseResult* const result = fastest_case(machines[i], model);
    if (result == nullptr) continue;
    if (comparison.epoch_samples == 0) comparison.epoch_samples = *result->epoch_samples;
    comparison.machines.push_back(best_case(i, machines[i], *result, comparison.epoch_samples));
  }
  auto& found = comparison.machines;
  std::ranges::stable_sort(found, {}, [](const BestCase& best) { return best.epoch.s; });
  comparison.fastest_is_certain = found.size() > 1 && found[0].epoch.high_s < found[1].epoch.low_s;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool less =
        found[i].epoch_usd && (!comparison.cheapest || *found[i].epoch_usd < *found[*comparison.cheapest].epoch_usd);
    if (less) comparison.cheapest = i;
  }
  return comparison;
}

// Against the machine on which an epoch costs least.
void add_not_paying(const ModelComparison& model, Comparison& comparison) {
  if (!model.cheapest) return;
  const BestCase& cheapest = model.machines[*model.cheapest];
  const double least_usd_per_h = *comparison.machines[cheapest.machine].usd_per_h;
  for (const BestCase& best : model.machines) {
    const auto usd_per_h = comparison.machines[best.machine].usd_per_h;
    if (!usd_per_h || *usd_per_h <= least_usd_per_h) continue;
    comparison.does_not_pay.push_back({.model = model.model,
                                       .machine = best.machine,
                                       .cheaper = cheapest.machine,
                                       .price_ratio = *usd_per_h / least_usd_per_h,
                                       .speed_ratio = cheapest.epoch.s / best.epoch.s});
  }
}

}  // namespace

std::vector<std::string> models_of(const BatterySummary& summary) {
  std::vector<std::string> models;
  for (const CaseResult* result : finished_cases(summary)) {
    const bool usable = result->epoch_s && result->epoch_samples && *result->epoch_samples > 0;
    if (usable && std::ranges::find(models, result->of.job.model) == models.end()) {
      models.push_back(result->of.job.model);
    }
  }
  return models;
}

const CaseResult* fastest_case(const BatterySummary& summary, const std::string& model) {
  const CaseResult* best = nullptr;
  for (const CaseResult* result : finished_cases(summary)) {
    if (result->of.job.model != model || !result->epoch_s || !result->epoch_samples) continue;
    if (best == nullptr || sample_s(*result) < sample_s(*best)) best = result;
  }
  return best;
}

Comparison compare(std::vector<BatterySummary> machines, std::span<const Instance> catalogue) {
  Comparison comparison;
  comparison.machines = std::move(machines);
  for (const std::string& model : all_models(comparison.machines)) {
    comparison.models.push_back(compare_model(model, comparison.machines));
    add_not_paying(comparison.models.back(), comparison);
  }
  for (std::size_t i = 0; i < comparison.machines.size(); ++i) {
    for (LinkComparison& link : compare_links(comparison.machines[i], catalogue)) {
      link.machine = i;
      comparison.links.push_back(std::move(link));
    }
  }
  return comparison;
}

}  // namespace stash
