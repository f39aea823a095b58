#pragma once

#include <vector>

#include "stash/core/ledger.h"
#include "stash/predict/cluster.h"
#include "stash/predict/input.h"
#include "stash/predict/step_job.h"
#include "stash/predict/training.h"

namespace stash {

// Another way to work out the two times that all others follow from. By default the few events that decide are looked
// at (docs/prediction.md); tests/predict simulates every event instead, which must give the same.
struct StepMethod {
  // A step without input; collectives span all nodes or one each, and every micro-batch is copied first.
  double (*step_s)(const Training& training, const Cluster& cluster, bool nodes_apart, double copy_s) = nullptr;
  // A step that reads its input, of which a share is cached.
  double (*with_input_s)(const StepJob& job, const Cluster& cluster, const Consumption& used,
                         double cached_ratio) = nullptr;
};

// The conditions that have a meaning, by the rules of attribute/attribute.h: `hot` and `cold` where the input is known.
std::vector<Condition> present_conditions(const StepJob& job, const Cluster& cluster);

// Time of a step under a condition, in the steady state. A condition without a meaning is like the one before. Error
// for figures that make no sense, as check() has them.
double simulate_step_s(const StepJob& job, const Cluster& cluster, Condition condition, const StepMethod& method = {});

// As `cold`, when this share of the data set stays in the page cache: 0 is `cold`, 1 is `hot`. Needs the input.
double simulate_cached_s(const StepJob& job, const Cluster& cluster, double cached_ratio,
                         const StepMethod& method = {});

// Every present condition, and its part as the difference to the one before; the parts sum to the step exactly.
// Intervals have no width: how far a prediction may be off is not the simulator's to say.
Ledger simulate_ledger(const StepJob& job, const Cluster& cluster, const StepMethod& method = {});

}  // namespace stash
