#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stash/catalog/gpu.h"
#include "stash/catalog/instance.h"
#include "stash/core/ledger.h"
#include "stash/core/profile.h"
#include "stash/models/graph.h"
#include "stash/predict/scaling.h"
#include "stash/predict/script_groups.h"

namespace stash {

// What one sample costs the input pipeline.
struct SampleCost {
  double storage_bytes = 0;  // to be read
  double cpu_s = 0;          // of one core, to decode and augment
  double least_s = 0;        // that a worker takes in any case, as `--inject prep=` has it
};

// A step time of the job that was measured elsewhere.
struct MeasuredStep {
  Instance instance;
  int nodes = 1;
  int gpus_per_node = 1;
  double step_s = 0;
};

// A profile and what it says.
struct MeasuredProfile {
  Profile profile;
  Ledger ledger;
  const Gpu* gpu = nullptr;  // that it was made on, real or emulated; nullptr: none, or none that is known
};

// The layer times of a profile whose GPU is known. Valid as long as `from`.
MeasuredLayers layers_of(const MeasuredProfile& from);

// A job as a prediction needs it, whatever machine it runs on.
struct PredictJob {
  Graph graph;
  DType dtype = DType::fp32;
  int batch = 32;                   // of a GPU, in one pass
  std::optional<int> global_batch;  // of a step over all GPUs: gradients are accumulated
  std::optional<int> accumulation;  // passes of a step; nullopt: as `global_batch` has it, else one
  std::int64_t bucket_bytes = 25 * 1024 * 1024;
  bool reduces_at_end = false;  // gradients go out after the backward pass instead of during it
  int blocking_calls = 0;       // all-reduces of single numbers that every step waits for
  std::optional<int> workers;   // of a GPU; nullopt: one for each of its cores
  int prefetch = 2;
  std::optional<double> samples;              // of an epoch
  std::optional<double> sample_device_bytes;  // nullopt: those of the graph's input
  std::optional<SampleCost> sample;           // nullopt: unknown; prep and fetch are then absent
  std::vector<MeasuredStep> measured;  // with this batch, type and accumulation, whatever a what-if question changes
  std::shared_ptr<const MeasuredProfile> profile;
  std::shared_ptr<const ScriptGroups> groups;  // of a script; null: it sums gradients over all ranks
  std::vector<std::string> assumptions;
};

// Of a profile of a built-in job or a script. Error says what is missing in it and what to measure again.
PredictJob job_of_profile(Profile profile);
PredictJob job_of_profile(Profile profile, Ledger ledger);  // with the profile's own ledger

}  // namespace stash
