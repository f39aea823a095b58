#pragma once

#include "stash/core/condition.h"
#include "stash/predict/all_reduce.h"
#include "stash/predict/step_job.h"

namespace stash {

// The last micro-batch of a step from its start on every rank: forward, backward with its collectives, optimizer.
// All other times of a step follow from it; docs/prediction.md.
struct Training {
  const StepJob& job;
  const StepShape& shape;
  const AllReduceChoice& all_reduce;  // empty: nothing is sent
  double slow_down = 1;               // of everything that computes
  SideCosts costs = {};
  InFlight in_flight = {};
  double groups_s = 0;  // that a step waits for a script's process groups
};

double last_micro_batch_s(const Training& training);

// Of the collectives that a step waits for one by one, beside those of its gradients.
double blocking_s(const Training& training);

}  // namespace stash
