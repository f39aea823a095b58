#pragma once

#include "stash/predict/cluster.h"
#include "stash/predict/step_job.h"

namespace stash {

// What a group's collectives can hide behind.
struct PassTimes {
  double forward_s = 0;
  double backward_s = 0;
  int passes = 1;  // forward and backward, of a step
};

// Of a group, how many share a node. Consecutive ranks are on the same node.
int ranks_on_node(const StepGroup& group, const Cluster& cluster);

// Seconds of a step that wait for a group's collectives; docs/prediction.md has the formulas. `nodes_apart`: of each
// group only the ranks of a node take part.
double exposed_s(const StepGroup& group, const Cluster& cluster, bool nodes_apart, const PassTimes& times);

}  // namespace stash
