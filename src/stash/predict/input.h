#pragma once

#include <cstdint>

#include "stash/predict/cluster.h"
#include "stash/predict/step_job.h"
#include "stash/predict/training.h"

namespace stash {

// How a rank uses batches: the micro-batches of a step one after the other, each copied before it is computed with.
struct Consumption {
  int accumulation = 1;
  double overhead_s = 0;     // before the first
  double micro_batch_s = 0;  // of each but the last
  double last_s = 0;         // of the last, to the end of the optimizer step
  double copy_s = 0;
  bool copies_overlap = false;

  // The n-th of a step, from its copy or, where that overlaps, from the start of its computing to the next one's.
  double interval_s(int n, double late_s) const;
  double step_s(double late_s) const;  // when batches are always there
};

// What a sample takes on a node.
struct SampleTimes {
  double read_s = 0;      // while the storage serves nobody else
  double cpu_s = 0;       // on one of `servers`
  double least_s = 0;     // after the read
  int servers = 1;        // cores; a fraction of one slows all down evenly
  int storage_ranks = 1;  // that share a storage device
};
SampleTimes sample_times(const StepJob& job, const Cluster& cluster, double cached_ratio);

// Time of a micro-batch through a pipeline that never waits for its consumer, on average; docs/prediction.md.
double input_interval_s(const StepJob& job, const Cluster& cluster, const SampleTimes& times);

// The step in the steady state, where it is known without simulating: nullopt where the queue is so shallow, or the
// micro-batches so uneven, that workers and consumer wait for each other in turn.
std::optional<double> steady_step_s(const StepJob& job, const Cluster& cluster, const SampleTimes& times,
                                    const Consumption& consumption);

struct EventRun {
  double s = 0;
  std::int64_t events = 0;
};

// The same, sample by sample. `cached_ratio` of the samples, drawn with the job's seed, are read in no time.
struct InputRun {
  double cached_ratio = 0;
  bool collapse = true;  // one node stands for all that are alike
};
EventRun run_input(const StepJob& job, const Cluster& cluster, const Consumption& consumption, const InputRun& run);

}  // namespace stash
