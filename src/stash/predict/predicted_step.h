#pragma once

#include "stash/predict/cluster.h"
#include "stash/predict/predict_job.h"
#include "stash/predict/scaling.h"
#include "stash/predict/step_job.h"

namespace stash {

// Passes of a step over so many GPUs; nullopt: the global batch does not divide.
std::optional<int> passes_of(const PredictJob& job, int gpus);

// The step of `job` with these times on this cluster.
StepJob predicted_step(const PredictJob& job, const ScaledTimes& times, const Cluster& cluster, int accumulation);

}  // namespace stash
