#include "stash/predict/predicted_step.h"

#include <algorithm>
#include <cmath>

namespace stash {
namespace {

double sample_device_bytes(const Graph& graph) {
  if (graph.input == InputKind::images) return 4.0 * 3 * graph.image_size * graph.image_size;
  return 8.0 * graph.seq_len;
}

std::int64_t times_ratio(std::int64_t bytes, double ratio) {
  return static_cast<std::int64_t>(static_cast<double>(bytes) * ratio);
}

int workers(const PredictJob& job, const Cluster& cluster) {
  if (job.workers) return *job.workers;
  if (std::isinf(cluster.cores)) return 1;
  return std::max(1, static_cast<int>(cluster.cores / cluster.ranks_per_node));
}

// One bucket that the whole backward pass fills.
void reduce_at_end(StepJob& step) {
  std::int64_t all_bytes = 0;
  for (const StepLayer& layer : step.layers) all_bytes += layer.gradient_bytes;
  step.buckets = {all_bytes};
}

}  // namespace

std::optional<int> passes_of(const PredictJob& job, int gpus) {
  if (!job.global_batch) return job.accumulation.value_or(1);
  const std::int64_t pass = std::int64_t{job.batch} * gpus;
  if (*job.global_batch % pass != 0) return std::nullopt;
  return static_cast<int>(*job.global_batch / pass);
}

StepJob predicted_step(const PredictJob& job, const ScaledTimes& times, const Cluster& cluster, int accumulation) {
  StepJob step = make_step_job(job.graph, times.layers, job.bucket_bytes);
  const double ratio = times.gradient_bytes_ratio;
  for (StepLayer& layer : step.layers) layer.gradient_bytes = times_ratio(layer.gradient_bytes, ratio);
  for (std::int64_t& bytes : step.buckets) bytes = times_ratio(bytes, ratio);
  if (job.reduces_at_end) reduce_at_end(step);
  if (job.groups) {
    // Their sums are among the groups' calls.
    for (StepLayer& layer : step.layers) layer.gradient_bytes = 0;
    step.buckets.clear();
    const int measured_batch = job.profile ? job.profile->profile.job.batch : job.batch;
    step.groups = job.groups->for_ranks(cluster.nodes * cluster.ranks_per_node,
                                        static_cast<double>(job.batch) / std::max(1, measured_batch));
  }
  step.optimizer_s = times.optimizer_s;
  step.overhead_s = times.overhead_s;
  step.batch = job.batch;
  step.accumulation = accumulation;
  step.blocking_calls = job.blocking_calls;
  step.sample_device_bytes = job.sample_device_bytes.value_or(sample_device_bytes(job.graph));
  if (job.sample) {
    step.input = StepInput{.sample_storage_bytes = job.sample->storage_bytes,
                           .sample_cpu_s = job.sample->cpu_s,
                           .sample_least_s = job.sample->least_s,
                           .workers = workers(job, cluster),
                           .prefetch = job.prefetch};
  }
  return step;
}

}  // namespace stash
