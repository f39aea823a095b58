#pragma once

#include <map>
#include <optional>
#include <variant>

#include "stash/catalog/instance.h"
#include "stash/predict/calibrate_measured.h"
#include "stash/predict/described_cluster.h"
#include "stash/predict/predict_job.h"
#include "stash/predict/prediction.h"
#include "stash/predict/scaling.h"
#include "stash/predict/uncertainty.h"
#include "stash/predict/what_if.h"

namespace stash {

// What is simulated: the job's step, the machine, and how far their figures may be off.
struct Setting {
  StepJob step;
  DescribedCluster described;
  Uncertainty uncertainty;
  std::vector<std::string> assumptions;
};

// The ledger of one job on machines that are not here. Free of I/O; one thread.
class Predictor {
 public:
  explicit Predictor(PredictJob job, WhatIf what_if = {});

  // On `nodes` of a machine, all its GPUs or `gpus` of them over all nodes. Rejected where it cannot run the job or too
  // little is known of it.
  std::variant<Prediction, Rejected> on(const Instance& instance, int nodes, std::optional<int> gpus = {});
  std::variant<Setting, Rejected> setting_on(const Instance& instance, int nodes, std::optional<int> gpus = {});

  // On the machine that the profile was made on, for what-if questions. Error where that cannot be, says what is
  // missing.
  Prediction here();
  Setting setting_here();

  const PredictJob& job() const { return job_; }

 private:
  const ScaledTimes& times_on(const Gpu& gpu);
  void widen_as_estimated(Setting& setting, const Instance& instance) const;
  Setting setting(const ScaledTimes& times, DescribedCluster described, int accumulation) const;
  Prediction simulate(const Setting& setting) const;
  StepJob step_here_as_measured(const Cluster& cluster) const;

  PredictJob job_;
  WhatIf what_if_;
  std::optional<Calibration> calibration_;  // by the job's measured steps
  std::map<const Gpu*, ScaledTimes> times_;
};

// Every instance with 1 to `most_nodes` nodes. Instances without a GPU are left out without a word.
Predictions predict_all(Predictor& predictor, std::span<const Instance> instances, int most_nodes);

}  // namespace stash
