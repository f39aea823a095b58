#pragma once

#include "stash/predict/simulate.h"

namespace stash {

// A whole step without input, layer by layer on every rank and phase by phase of every collective, one at a time and
// without side costs: what the simulator's shorter way is held against.
struct StepRun {
  bool nodes_apart = false;  // collectives span one node each
  double copy_s = 0;         // before every micro-batch
  bool collapse = true;      // one rank stands for all that do the same
};
EventRun run_step(const Training& training, const Cluster& cluster, const StepRun& run);

template <bool collapse>
constexpr StepMethod by_events() {
  return {
      .step_s = [](const Training& training, const Cluster& cluster, bool nodes_apart,
                   double copy_s) { return run_step(training, cluster, {nodes_apart, copy_s, collapse}).s; },
      .with_input_s = [](const StepJob& job, const Cluster& cluster, const Consumption& used,
                         double cached_ratio) { return run_input(job, cluster, used, {cached_ratio, collapse}).s; }};
}

inline constexpr StepMethod kByEvents = by_events<true>();
inline constexpr StepMethod kByEventsOfEveryRank = by_events<false>();

}  // namespace stash
