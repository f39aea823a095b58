#include "stash/battery/training_cost.h"

#include "stash/battery/compare.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/predict/predict.h"

namespace stash {
namespace {

TrainingCost measured_cost(const BatterySummary& summary, const CaseResult& result, int epochs) {
  const double more = epochs - 1;
  TrainingCost cost{.model = result.of.job.model,
                    .machine = summary.name,
                    .measured = true,
                    .case_name = result.of.name,
                    .gpus = result.of.job.ranks,
                    .batch = result.of.job.batch};
  cost.time =
      Estimate{*result.first_epoch_s + more * *result.epoch_s, *result.first_epoch_s + more * *result.epoch_low_s,
               *result.first_epoch_s + more * *result.epoch_high_s};
  if (summary.usd_per_h) cost.usd = cost.time->s / kSecondsPerHour * *summary.usd_per_h;
  return cost;
}

void take(TrainingCost& cost, const Prediction& prediction, int epochs) {
  cost.gpus = prediction.gpus;
  cost.batch = prediction.batch;
  if (!prediction.epoch_s || !prediction.first_epoch_s) {
    cost.why = "the samples of an epoch are not known";
    return;
  }
  const double s = *prediction.first_epoch_s + (epochs - 1) * *prediction.epoch_s;
  const Estimate& step = prediction.ledger.step;
  cost.time = step.s > 0 ? Estimate{s, s * step.low_s / step.s, s * step.high_s / step.s} : Estimate{s, s, s};
  if (prediction.usd_per_h) cost.usd = s / kSecondsPerHour * *prediction.usd_per_h;
}

TrainingCost predicted_cost(Predictor& predictor, const CaseResult& result, const Instance& instance, int epochs) {
  TrainingCost cost{
      .model = result.of.job.model, .machine = instance.name, .measured = false, .case_name = result.of.name};
  const auto found = predictor.on(instance, 1);
  if (const auto* rejected = std::get_if<Rejected>(&found)) {
    cost.why = rejected->why;
  } else {
    take(cost, std::get<Prediction>(found), epochs);
  }
  return cost;
}

void add_predicted(std::vector<TrainingCost>& costs, const CaseResult& result, const BatteryFolder& folder, int epochs,
                   std::span<const Instance> instances) {
  PredictJob job = job_of_profile(read_profile(folder.profile_file(result.of.name)));
  job.samples = result.epoch_samples;
  Predictor predictor(std::move(job));
  for (const Instance& instance : instances) {
    if (instance.gpus > 0) costs.push_back(predicted_cost(predictor, result, instance, epochs));
  }
}

}  // namespace

std::vector<TrainingCost> training_costs(const BatterySummary& summary, const BatteryFolder& folder, int epochs,
                                         std::span<const Instance> instances) {
  std::vector<TrainingCost> costs;
  for (const std::string& model : models_of(summary)) {
    const CaseResult& result = *fastest_case(summary, model);
    costs.push_back(measured_cost(summary, result, epochs));
    try {
      add_predicted(costs, result, folder, epochs, instances);
    } catch (const Error& error) {
      costs.push_back({.model = model, .machine = "", .case_name = result.of.name, .why = error.what()});
    }
  }
  return costs;
}

}  // namespace stash
