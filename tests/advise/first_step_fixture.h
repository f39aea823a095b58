#pragma once

#include <vector>

#include "stash/attribute/attribute.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/layer_time.h"
#include "stash/core/profile.h"
#include "stash/models/models.h"
#include "stash/predict/predict.h"
#include "stash/predict/simulate.h"

namespace stash::testing_support {

using StepTimes = std::map<Condition, double>;

// Six rounds that scatter by +-`scatter_s` a step.
inline void set_windows(Profile& profile, const StepTimes& step_s, double scatter_s = 0.00002) {
  constexpr int kSteps = 5;
  profile.windows.clear();
  for (int round = 0; round < 6; ++round) {
    int place = 0;
    for (const auto& [condition, time_s] : step_s) {
      const int direction = (round + place++ * (round / 2 + 1)) % 3 - 1;
      const RankSample sample{kSteps * (time_s + direction * scatter_s), 0, 0};
      Window window{round, condition, kSteps, {}, {}, {}, {}};
      window.ranks.assign(static_cast<std::size_t>(profile.job.ranks), sample);
      if (condition == Condition::solo) {
        for (std::size_t rank = 1; rank < window.ranks.size(); ++rank) {
          if (profile.places.empty() || profile.places[rank].node == profile.places[rank - 1].node) {
            window.ranks[rank].reset();
          }
        }
      }
      profile.windows.push_back(std::move(window));
    }
  }
}

// Two ranks on emulated V100s whose input costs little.
inline Profile emulated_profile(const char* model, int batch) {
  Profile profile;
  profile.job.model = model;
  profile.job.batch = batch;
  profile.job.device = "emulated:V100";
  profile.job.inject.link_bytes_per_s = 1e11;
  profile.job.inject.read_bytes_per_s = 1e11;
  profile.machine.hostname = "node1";
  profile.machine.cores = 16;
  profile.complete = true;
  profile.layers = layer_times(make_model(model), batch, DType::fp32, find_gpu("V100"));
  InputCounters counters;
  counters.samples = 1000;
  counters.read_bytes = 110'000'000;
  counters.decode_s = 0.1;
  profile.inputs = {counters};
  return profile;
}

// The windows that the simulator says such a job has on its machine.
inline void measure(Profile& profile) {
  const int nodes = count_nodes(profile.places);
  StepTimes steps{{Condition::solo, 0.1}, {Condition::hot, 0.1}, {Condition::cold, 0.1}};
  if (profile.job.ranks > nodes) steps[Condition::apart] = steps[Condition::node] = 0.1;
  if (nodes > 1) steps[Condition::joined] = 0.1;
  const double layers_s = [&] {
    double s = optimizer_time_s(make_model(profile.job.model), find_gpu("V100"));
    for (const LayerTime& layer : profile.layers) s += *layer.forward_s + *layer.backward_s;
    return s;
  }();
  for (auto& [condition, s] : steps) s = layers_s;
  set_windows(profile, steps);
  Predictor predictor(job_of_profile(profile));
  const Setting here = predictor.setting_here();
  for (const auto& [condition, time] : simulate_ledger(here.step, here.described.cluster).step_by_condition) {
    steps[condition] = time.s;
  }
  set_windows(profile, steps);
}

inline Profile on_nodes(Profile profile, int nodes, int ranks_per_node) {
  profile.job.ranks = nodes * ranks_per_node;
  for (int rank = 0; rank < profile.job.ranks; ++rank) {
    const int node = rank / ranks_per_node;
    profile.places.push_back({"host" + std::to_string(node), node});
  }
  return profile;
}

// A script on GPUs: nothing is known of its layers.
inline Profile script_profile(const StepTimes& steps, int ranks = 2) {
  Profile profile;
  profile.job.model = "train.py";
  profile.job.command = {"torchrun", "train.py"};
  profile.job.device = "cuda";
  profile.job.ranks = ranks;
  profile.job.workers = 2;
  profile.machine.cores = 16;
  profile.complete = true;
  set_windows(profile, steps);
  return profile;
}

}  // namespace stash::testing_support
