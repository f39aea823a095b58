#pragma once

#include <random>

#include "stash/predict/cluster.h"
#include "stash/predict/step_job.h"

namespace stash {

// Three layers whose gradients fill a bucket each: forward 6 s, backward 12 s in steps of 6, 4 and 2 s.
inline StepJob small_job() {
  StepJob job;
  job.layers = {{1, 2, 100}, {2, 4, 200}, {3, 6, 300}};
  job.first_bucket_bytes = job.bucket_bytes = 1;
  job.optimizer_s = 0.5;
  job.batch = 4;
  return job;
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool coin() { return whole(0, 1) == 1; }

 private:
  std::mt19937_64 random_;
};

inline StepJob random_job(Draw& draw) {
  StepJob job;
  for (int i = draw.whole(1, 12); i > 0; --i) {
    job.layers.push_back({draw.between(0, 2e-3), draw.between(0, 4e-3), draw.whole(0, 3'000'000)});
  }
  job.optimizer_s = draw.between(0, 1e-3);
  job.overhead_s = draw.coin() ? draw.between(0, 1e-3) : 0;
  job.first_bucket_bytes = draw.whole(1, 2'000'000);
  job.bucket_bytes = draw.whole(1, 8'000'000);
  job.batch = draw.whole(2, 24);
  job.sample_device_bytes = draw.between(1e3, 1e6);
  job.input = StepInput{.sample_storage_bytes = draw.between(0, 2e5),
                        .sample_cpu_s = draw.between(0, 4e-3),
                        .sample_least_s = draw.coin() ? draw.between(0, 4e-3) : 0,
                        .workers = draw.whole(1, 6),
                        .prefetch = draw.whole(1, 4)};
  return job;
}

inline Cluster random_cluster(Draw& draw) {
  Cluster cluster;
  cluster.nodes = draw.whole(1, 5);
  cluster.ranks_per_node = draw.whole(1, 5);
  cluster.link_bytes_per_s = draw.between(1e8, 1e10);
  cluster.link_latency_s = draw.coin() ? draw.between(0, 1e-4) : 0;
  cluster.ranks_per_uplink = draw.coin() ? draw.whole(1, 3) : 0;
  cluster.uplink_bytes_per_s = draw.between(1e8, 1e10);
  cluster.peer_to_peer = draw.coin();
  cluster.network_bytes_per_s = draw.between(1e8, 1e10);
  cluster.network_latency_s = draw.coin() ? draw.between(0, 1e-4) : 0;
  cluster.all_reduce = static_cast<AllReduce>(draw.whole(0, 3));
  cluster.collective_s = draw.coin() ? 1e-5 : 0;
  cluster.contention_ratio = draw.between(1, 1.5);
  if (draw.coin()) cluster.copy_bytes_per_s = draw.between(1e9, 1e10);
  cluster.copies_overlap = draw.coin();
  cluster.cores = draw.coin() ? draw.between(0.5, 16) : kNoLimit;
  cluster.storage_bytes_per_s = draw.between(1e7, 1e9);
  cluster.storage_per_rank = draw.coin();
  const int ranks = cluster.nodes * cluster.ranks_per_node;
  if (draw.coin()) cluster.late_s[draw.whole(0, ranks - 1)] = draw.between(0, 1e-2);
  if (draw.coin()) cluster.late_s[draw.whole(0, ranks - 1)] = draw.between(0, 1e-2);
  return cluster;
}

}  // namespace stash
