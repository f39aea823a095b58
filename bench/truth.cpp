#include "truth.h"

#include <algorithm>

#include "stash/catalog/layer_time.h"
#include "stash/models/models.h"

namespace stash::bench {
namespace {

constexpr double kFirstBucketBytes = 1024 * 1024;  // as DistributedDataParallel

// When the last gradient has passed a link that carries one bucket after the other, counted from the start of the
// backward pass: a bucket goes out when its last gradient is ready.
double last_bucket_s(const Graph& graph, const std::vector<LayerTime>& layers, const Job& job) {
  const double wire = job.ranks > 1 ? 2.0 * (job.ranks - 1) / job.ranks : 0;
  const double bytes_per_s = job.inject.link_bytes_per_s.value();
  double now_s = 0, link_s = 0, bucket_bytes = 0, limit_bytes = kFirstBucketBytes;
  const auto send = [&] {
    link_s = std::max(link_s, now_s) + bucket_bytes * wire / bytes_per_s;
    bucket_bytes = 0;
    limit_bytes = static_cast<double>(job.bucket_bytes);
  };
  for (std::size_t i = graph.layers.size(); i-- > 0;) {
    now_s += layers[i].backward_s.value_or(0);
    for (const Parameter& parameter : graph.layers[i].parameters) {
      bucket_bytes += 4.0 * static_cast<double>(element_count(parameter.shape));
      if (bucket_bytes >= limit_bytes) send();
    }
  }
  if (bucket_bytes > 0) send();
  return link_s;
}

}  // namespace

double Truth::part_s(Part part) const {
  switch (part) {
    case Part::compute:
      return solo_s;
    case Part::contention:
      return apart_s - solo_s;
    case Part::interconnect:
      return node_s - apart_s;
    case Part::prep:
      return hot_s - node_s;
    case Part::fetch:
      return cold_s - hot_s;
    default:
      return 0;
  }
}

Truth true_ledger(const Job& job, double sample_bytes) {
  const Graph graph = make_model(job.model, {.image_size = job.image_size, .seq_len = job.seq_len});
  const Gpu& gpu = find_gpu(job.device.gpu());
  const std::vector<LayerTime> layers = layer_times(graph, job.batch, parse_dtype(job.dtype), gpu);
  double forward_s = 0, backward_s = 0;
  bool trains = false;  // layers before the first parameter have no backward pass
  for (std::size_t i = 0; i < layers.size(); ++i) {
    forward_s += layers[i].forward_s.value_or(0);
    trains = trains || !graph.layers[i].parameters.empty();
    if (trains) backward_s += layers[i].backward_s.value_or(0);
  }
  const double update_s = optimizer_time_s(graph, gpu);
  const auto delay_of = [&](int rank) {
    const auto found = job.inject.rank_delay_s.find(rank);
    return found == job.inject.rank_delay_s.end() ? 0.0 : found->second;
  };
  double longest_delay_s = 0;
  for (int rank = 0; rank < job.ranks; ++rank) longest_delay_s = std::max(longest_delay_s, delay_of(rank));

  Truth truth;
  const double compute_s = forward_s + backward_s + update_s;
  truth.solo_s = compute_s + delay_of(0);
  truth.apart_s = compute_s + longest_delay_s;
  const double exposed_s = job.ranks > 1 ? std::max(0.0, last_bucket_s(graph, layers, job) - backward_s) : 0;
  truth.node_s = truth.apart_s + exposed_s;
  const double prep_s = job.inject.prep_s_per_sample.value_or(0);
  const double read_s = job.inject.read_bytes_per_s ? sample_bytes / *job.inject.read_bytes_per_s : 0;
  // Workers read and prepare one sample after the other; the storage serves one read at a time.
  truth.hot_s = std::max(truth.node_s, job.batch * prep_s / job.workers);
  truth.cold_s = std::max({truth.hot_s, job.batch * (prep_s + read_s) / job.workers, job.batch * read_s});
  return truth;
}

}  // namespace stash::bench
