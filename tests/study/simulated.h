#pragma once

#include <random>
#include <string>
#include <vector>

#include "stash/catalog/layer_time.h"
#include "stash/models/models.h"
#include "stash/predict/simulate.h"

namespace stash::testing_support {

// Two V100s with a link of known latency and rate, on which collectives pass one after the other.
struct SimulatedLink {
  double latency_s = 4e-4;
  double bytes_per_s = 1.2e9;
  double noise_ratio = 0;  // standard deviation of a window, as a share of the step
};

inline void add_window(Profile& profile, int round, Condition condition, double step_s) {
  constexpr int kSteps = 10;
  const RankSample sample{.wall_s = step_s * kSteps};
  profile.windows.push_back({round, condition, kSteps, {sample, sample}, {}, {}, {}});
}

// The profile that `model` would have, by the simulator.
inline Profile simulated_profile(const std::string& model, const SimulatedLink& link, unsigned seed) {
  constexpr int kRounds = 8;
  Profile profile;
  profile.job.model = model;
  profile.job.device = "cuda";
  profile.job.backend = "nccl";
  profile.complete = true;
  const Graph graph = make_model(model);
  profile.layers = layer_times(graph, profile.job.batch, DType::fp32, find_gpu("V100"));
  const StepJob job = make_step_job(graph, profile.layers, profile.job.bucket_bytes);
  for (const std::int64_t bytes : job.buckets) profile.buckets.push_back({bytes, 1});
  Cluster cluster;
  cluster.ranks_per_node = 2;
  cluster.measured_node = LinkFit{link.latency_s, link.bytes_per_s, 0};
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(1, link.noise_ratio);
  for (int round = 0; round < kRounds; ++round) {
    for (const Condition condition : {Condition::apart, Condition::node}) {
      add_window(profile, round, condition, simulate_step_s(job, cluster, condition) * noise(random));
    }
  }
  return profile;
}

inline std::vector<Profile> simulated_profiles(const std::vector<std::string>& models, const SimulatedLink& link,
                                               unsigned seed) {
  std::vector<Profile> profiles;
  for (const std::string& model : models) profiles.push_back(simulated_profile(model, link, seed++));
  return profiles;
}

}  // namespace stash::testing_support
