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
};

double last_micro_batch_s(const Training& training);

// Of the collectives that a step waits for one by one, beside those of its gradients.
double blocking_s(const Training& training);

struct EventCount {
  double s = 0;
  std::int64_t events = 0;
};

// A whole step without input, layer by layer on every rank and phase by phase of every collective, one at a time and
// without side costs.
struct StepRun {
  bool nodes_apart = false;  // collectives span one node each
  double copy_s = 0;         // before every micro-batch
  bool collapse = true;      // one rank stands for all that do the same
};
EventCount run_step(const Training& training, const Cluster& cluster, const StepRun& run);

}  // namespace stash
