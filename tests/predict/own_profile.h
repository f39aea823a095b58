#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "stash/catalog/layer_time.h"
#include "stash/core/profile.h"
#include "stash/models/models.h"
#include "stash/predict/what_if.h"

namespace stash {

inline WhatIf question_of(std::initializer_list<const char*> changes) {
  const std::vector<std::string> texts(changes.begin(), changes.end());
  return what_if_of(texts);
}

// Two ranks on emulated V100s, 20 ms for gradients, 30 ms for input, 10 ms for storage.
inline Profile own_profile() {
  Profile profile;
  profile.job.model = "resnet18";
  profile.job.batch = 16;
  profile.job.device = "emulated:V100";
  profile.job.inject.link_bytes_per_s = 1e9;
  profile.job.inject.read_bytes_per_s = 20e6;
  profile.machine.cores = 64;
  const Graph graph = make_model("resnet18");
  profile.layers = layer_times(graph, 16, DType::fp32, find_gpu("V100"));
  double compute_s = optimizer_time_s(graph, find_gpu("V100"));
  for (const LayerTime& layer : profile.layers) compute_s += *layer.forward_s + *layer.backward_s;
  InputCounters counters;
  counters.samples = 1000;
  counters.read_bytes = 110'000'000;
  counters.decode_s = 1;
  profile.inputs = {counters};
  const std::vector<std::pair<Condition, double>> steps{{Condition::solo, compute_s},
                                                        {Condition::apart, compute_s},
                                                        {Condition::node, compute_s + 0.02},
                                                        {Condition::hot, compute_s + 0.05},
                                                        {Condition::cold, compute_s + 0.06}};
  for (int round = 0; round < 6; ++round) {
    for (const auto& [condition, step_s] : steps) {
      const RankSample sample{5 * step_s, 0, 0};
      const bool waits = condition == Condition::solo;
      profile.windows.push_back(
          {round, condition, 5, {sample, waits ? std::nullopt : std::optional(sample)}, {}, {}, {}});
    }
  }
  return profile;
}

}  // namespace stash
