#include "stash/predict/input.h"

#include <algorithm>
#include <cmath>

namespace stash {

double Consumption::interval_s(int n, double late_s) const {
  const double before_s = n == 0 ? overhead_s + late_s : 0;
  const double compute_s = before_s + (n + 1 == accumulation ? last_s : micro_batch_s);
  return copies_overlap ? std::max(compute_s, copy_s) : compute_s + copy_s;
}

double Consumption::step_s(double late_s) const {
  if (accumulation == 1) return interval_s(0, late_s);
  return interval_s(0, late_s) + (accumulation - 2) * interval_s(1, late_s) + interval_s(accumulation - 1, late_s);
}

SampleTimes sample_times(const StepJob& job, const Cluster& cluster, double cached_ratio) {
  const StepInput& input = *job.input;
  SampleTimes times;
  times.read_s = input.sample_storage_bytes * (1 - cached_ratio) / cluster.storage_bytes_per_s;
  times.least_s = input.sample_least_s;
  times.storage_ranks = cluster.storage_per_rank ? 1 : cluster.ranks_per_node;
  const double workers = static_cast<double>(input.workers) * cluster.ranks_per_node;
  const double servers = std::min(workers, std::ceil(cluster.cores));
  times.servers = static_cast<int>(servers);
  times.cpu_s = input.sample_cpu_s * std::max(1.0, servers / cluster.cores);
  return times;
}

// Each of three things alone would allow a rate: the workers, the storage, the cores.
double input_interval_s(const StepJob& job, const Cluster& cluster, const SampleTimes& times) {
  const double worker_s = times.read_s + std::max(times.cpu_s, times.least_s);
  return job.batch * std::max({worker_s / job.input->workers, times.read_s * times.storage_ranks,
                               times.cpu_s * cluster.ranks_per_node / times.servers});
}

std::optional<double> steady_step_s(const StepJob& job, const Cluster& cluster, const SampleTimes& times,
                                    const Consumption& consumption) {
  // While the last sample of a batch is made, the other workers need samples of the batches behind it.
  const auto queued = static_cast<std::int64_t>(job.input->prefetch - 1) * job.batch;
  if (job.input->workers > queued) return std::nullopt;
  double late_s = 0;
  for (const auto& [rank, s] : cluster.late_s) late_s = std::max(late_s, s);
  const double step_s = consumption.step_s(late_s);
  const double input_s = input_interval_s(job, cluster, times);
  if (consumption.accumulation == 1) return std::max(step_s, input_s);
  double shortest_s = kNoLimit, longest_s = 0;
  for (const int n : {0, 1, consumption.accumulation - 1}) {
    shortest_s = std::min(shortest_s, consumption.interval_s(n, 0));
    longest_s = std::max(longest_s, consumption.interval_s(n, late_s));
  }
  if (input_s <= shortest_s) return step_s;
  if (input_s >= longest_s) return consumption.accumulation * input_s;
  return std::nullopt;
}

}  // namespace stash
