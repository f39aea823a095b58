#pragma once

#include <vector>

#include "stash/core/ledger.h"
#include "stash/predict/cluster.h"
#include "stash/predict/step_job.h"

namespace stash {

// How a step is simulated. Both ways give the same (tests/predict/simulate_test.cpp): event by event, or from the few
// events that decide, where docs/prediction.md says which these are.
struct Detail {
  bool event_by_event = false;
  bool collapse = true;  // event by event: one rank stands for all that do the same
};

// The conditions that have a meaning, by the rules of attribute/attribute.h: `hot` and `cold` where the input is known.
std::vector<Condition> present_conditions(const StepJob& job, const Cluster& cluster);

// Time of a step under a condition, in the steady state. A condition without a meaning is like the one before. Error
// for figures that make no sense, as check() has them.
double simulate_step_s(const StepJob& job, const Cluster& cluster, Condition condition, const Detail& detail = {});

// As `cold`, when this share of the data set stays in the page cache: 0 is `cold`, 1 is `hot`. Needs the input.
double simulate_cached_s(const StepJob& job, const Cluster& cluster, double cached_ratio, const Detail& detail = {});

// Every present condition, and its part as the difference to the one before; the parts sum to the step exactly.
// Intervals have no width: how far a prediction may be off is not the simulator's to say.
Ledger simulate_ledger(const StepJob& job, const Cluster& cluster, const Detail& detail = {});

}  // namespace stash
