#include "stash/predict/step_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr int kMostWorkers = 1 << 12;
constexpr int kMostPrefetch = 1 << 12;
constexpr int kMostBlockingCalls = 1 << 16;
constexpr std::size_t kMostLayers = 1 << 16;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;  // of a layer or a bucket

void check_amount(double value, const char* what) {
  if (!(value >= 0) || std::isinf(value)) {
    throw Error(fmt::format("a step with {} = {} cannot be simulated; it must be 0 or more", what, value));
  }
}

void check_count(int value, int most, const char* what) {
  if (value < 1 || value > most) {
    throw Error(fmt::format("a step with {} = {} cannot be simulated; it must be from 1 to {}", what, value, most));
  }
}

void check_bytes(std::int64_t value, const char* what) {
  if (value < 0 || value > kMostBytes) {
    throw Error(
        fmt::format("a step with {} = {} cannot be simulated; it must be from 0 to {}", what, value, kMostBytes));
  }
}

void check(const StepInput& input) {
  check_amount(input.sample_storage_bytes, "sample_storage_bytes");
  check_amount(input.sample_cpu_s, "sample_cpu_s");
  check_amount(input.sample_least_s, "sample_least_s");
  check_count(input.workers, kMostWorkers, "workers");
  check_count(input.prefetch, kMostPrefetch, "prefetch");
}

// Layers in backward order close the buckets that their gradients fill; rounding to whole tensors leaves the last one
// to the end of the pass.
void place_buckets(const StepJob& job, std::span<const std::int64_t> buckets, StepShape& shape) {
  shape.buckets.reserve(buckets.size());
  double now_s = 0;
  std::int64_t made_bytes = 0, filled_bytes = buckets.empty() ? 0 : buckets[0];
  std::size_t next = 0;
  for (std::size_t layer = job.layers.size(); layer-- > 0;) {
    now_s += job.layers[layer].backward_s;
    made_bytes += job.layers[layer].gradient_bytes;
    while (next < buckets.size() && job.layers[layer].gradient_bytes > 0 && made_bytes >= filled_bytes) {
      shape.buckets.push_back({static_cast<double>(buckets[next]), layer, now_s});
      if (++next < buckets.size()) filled_bytes += buckets[next];
    }
  }
  for (; next < buckets.size(); ++next) shape.buckets.push_back({static_cast<double>(buckets[next]), 0, now_s});
}

}  // namespace

std::vector<std::int64_t> fill_buckets(std::span<const std::int64_t> gradient_bytes, std::int64_t first_bucket_bytes,
                                       std::int64_t bucket_bytes) {
  std::vector<std::int64_t> buckets;
  std::int64_t filled_bytes = 0, limit_bytes = first_bucket_bytes;
  for (const std::int64_t bytes : gradient_bytes) {
    filled_bytes += bytes;
    if (filled_bytes == 0 || filled_bytes < limit_bytes) continue;
    buckets.push_back(std::exchange(filled_bytes, 0));
    limit_bytes = bucket_bytes;
  }
  if (filled_bytes > 0) buckets.push_back(filled_bytes);
  return buckets;
}

StepJob make_step_job(const Graph& graph, std::span<const LayerTime> layers, std::int64_t bucket_bytes) {
  if (layers.size() != graph.layers.size()) {
    throw Error(fmt::format("{} layer times for the {} layers of {}; measure them again with this version",
                            layers.size(), graph.layers.size(), graph.name));
  }
  StepJob job;
  job.bucket_bytes = bucket_bytes;
  if (bucket_bytes == 0) job.first_bucket_bytes = 0;  // one collective for each gradient
  bool trains = false;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    trains = trains || !graph.layers[i].parameters.empty();
    if (!layers[i].forward_s || (trains && !layers[i].backward_s)) {
      throw Error(
          fmt::format("the time of layer '{}' is unknown; profile the job without --conditions", graph.layers[i].name));
    }
    const double bytes = kParameterBytes * static_cast<double>(graph.layers[i].parameter_count());
    job.layers.push_back({*layers[i].forward_s, trains ? *layers[i].backward_s : 0, static_cast<std::int64_t>(bytes)});
  }
  std::vector<std::int64_t> gradients;
  for (std::size_t i = graph.layers.size(); i-- > 0;) {
    for (const Parameter& parameter : graph.layers[i].parameters) {
      gradients.push_back(static_cast<std::int64_t>(kParameterBytes) * element_count(parameter.shape));
    }
  }
  job.buckets = fill_buckets(gradients, job.first_bucket_bytes, bucket_bytes);
  return job;
}

void check(const StepJob& job) {
  if (job.layers.empty()) throw Error("a step without layers cannot be simulated");
  if (std::max(job.layers.size(), job.buckets.size()) > kMostLayers) {
    throw Error(fmt::format("a step of {} layers and {} buckets cannot be simulated; at most {} of each can",
                            job.layers.size(), job.buckets.size(), kMostLayers));
  }
  for (const StepLayer& layer : job.layers) {
    check_amount(layer.forward_s, "forward_s");
    check_amount(layer.backward_s, "backward_s");
    check_bytes(layer.gradient_bytes, "gradient_bytes");
  }
  for (const std::int64_t bytes : job.buckets) check_bytes(bytes, "buckets");
  check_bytes(job.first_bucket_bytes, "first_bucket_bytes");
  check_bytes(job.bucket_bytes, "bucket_bytes");
  check_amount(job.optimizer_s, "optimizer_s");
  check_amount(job.overhead_s, "overhead_s");
  check_amount(job.sample_device_bytes, "sample_device_bytes");
  check_count(job.batch, kMostInBatch, "batch");
  check_count(job.accumulation, kMostMicroBatches, "accumulation");
  check_count(job.blocking_calls + 1, kMostBlockingCalls, "blocking_calls + 1");
  if (job.input) check(*job.input);
}

StepShape shape_of(const StepJob& job) {
  StepShape shape;
  for (const StepLayer& layer : job.layers) {
    shape.forward_s += layer.forward_s;
    shape.backward_s += layer.backward_s;
  }
  if (!job.buckets.empty()) {
    place_buckets(job, job.buckets, shape);
    return shape;
  }
  std::vector<std::int64_t> gradients(job.layers.size());
  std::transform(job.layers.rbegin(), job.layers.rend(), gradients.begin(),
                 [](const StepLayer& layer) { return layer.gradient_bytes; });
  place_buckets(job, fill_buckets(gradients, job.first_bucket_bytes, job.bucket_bytes), shape);
  return shape;
}

}  // namespace stash
