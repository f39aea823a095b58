#include "stash/predict/worth.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stash/attribute/steady_fetch.h"
#include "stash/predict/simulate.h"

namespace stash {
namespace {

constexpr double kMoreNetwork = 1.25e9;  // 10 Gbit/s
constexpr double kMoreLinks = 10e9;
constexpr double kMoreStorage = 100e6;
constexpr double kMoreCache = 10.0 * (1 << 30);
constexpr double kBucketFactor = 2;

std::optional<double> dataset_bytes(const PredictJob& job) {
  if (!job.samples || !job.sample) return std::nullopt;
  return *job.samples * job.sample->storage_bytes;
}

struct Resource {
  const char* name;
  const char* more;
  bool (*has_meaning)(const Setting& setting);
  void (*add)(Setting& setting);
};

bool has_input(const Setting& s) { return s.step.input.has_value(); }

constexpr std::array kResources{
    Resource{"network", "10 Gbit/s more", [](const Setting& s) { return s.described.cluster.nodes > 1; },
             [](Setting& s) {
               Cluster& cluster = s.described.cluster;
               if (cluster.measured_joined) cluster.measured_joined->bytes_per_s += kMoreNetwork;
               cluster.network_bytes_per_s += kMoreNetwork;
             }},
    Resource{"links", "10 GB/s more for each GPU",
             [](const Setting& s) { return s.described.cluster.ranks_per_node > 1; },
             [](Setting& s) {
               Cluster& cluster = s.described.cluster;
               if (cluster.measured_node) cluster.measured_node->bytes_per_s += kMoreLinks;
               cluster.link_bytes_per_s += kMoreLinks;
             }},
    Resource{"bucket", "twice as large",
             [](const Setting& s) {
               return s.described.cluster.nodes * s.described.cluster.ranks_per_node > 1 && s.step.buckets.size() != 1;
             },
             [](Setting& s) {
               s.step.buckets.clear();
               s.step.bucket_bytes =
                   static_cast<std::int64_t>(static_cast<double>(s.step.bucket_bytes) * kBucketFactor);
             }},
    Resource{"workers", "one more for each GPU", has_input, [](Setting& s) { ++s.step.input->workers; }},
    Resource{"cores", "one more on each node", has_input, [](Setting& s) { s.described.cluster.cores += 1; }},
    Resource{"storage", "100 MB/s more", has_input,
             [](Setting& s) { s.described.cluster.storage_bytes_per_s += kMoreStorage; }},
    Resource{"cache", "10 GiB more on each node",
             [](const Setting& s) { return has_input(s) && s.described.cache_bytes.has_value(); },
             [](Setting& s) { *s.described.cache_bytes += kMoreCache; }},
};

// The share of the data set that must be cached so that fetching costs nothing; nullopt: it costs nothing anyhow.
std::optional<double> needed_share(const Setting& setting, double hot_s) {
  const auto waits = [&](double cached_ratio) {
    return simulate_cached_s(setting.step, setting.described.cluster, cached_ratio) > hot_s * 1.005;
  };
  if (!waits(0)) return std::nullopt;
  double too_little = 0, enough = 1;
  for (int i = 0; i < 12; ++i) {
    const double middle = (too_little + enough) / 2;
    (waits(middle) ? too_little : enough) = middle;
  }
  return enough;
}

// A cache that answers so much of the reads, by the middle of what Linux's page cache may do.
double held_for_share(double share) {
  double too_little = 0, enough = 1;
  for (int i = 0; i < 20; ++i) {
    const double middle = (too_little + enough) / 2;
    const CachedShare found = cached_share(middle);
    ((found.low_ratio + found.high_ratio) / 2 < share ? too_little : enough) = middle;
  }
  return enough;
}

}  // namespace

double simulate_steady_s(const Setting& setting, const PredictJob& job) {
  const Cluster& cluster = setting.described.cluster;
  if (!setting.step.input || !setting.described.storage_is_known) {
    return simulate_step_s(setting.step, cluster, Condition::hot);
  }
  const std::optional<double> bytes = dataset_bytes(job);
  if (!bytes || !setting.described.cache_bytes) return simulate_step_s(setting.step, cluster, Condition::cold);
  const CachedShare share = cached_share(*setting.described.cache_bytes / *bytes);
  return simulate_cached_s(setting.step, cluster, (share.low_ratio + share.high_ratio) / 2);
}

std::vector<Worth> worth_of_more(const Setting& setting, const PredictJob& job) {
  const double now_s = simulate_steady_s(setting, job);
  std::vector<Worth> all;
  for (const Resource& resource : kResources) {
    if (!resource.has_meaning(setting)) continue;
    Setting more = setting;
    resource.add(more);
    all.push_back({.resource = resource.name, .more = resource.more, .saved_s = now_s - simulate_steady_s(more, job)});
  }
  std::stable_sort(all.begin(), all.end(), [](const Worth& a, const Worth& b) { return a.saved_s > b.saved_s; });
  return all;
}

std::optional<InputNeeds> input_needs(const Setting& setting, const PredictJob& job) {
  if (!setting.step.input) return std::nullopt;
  const Cluster& cluster = setting.described.cluster;
  const StepInput& input = *setting.step.input;
  const double staged_s = simulate_step_s(setting.step, cluster, Condition::staged);
  const double samples = static_cast<double>(setting.step.batch) * setting.step.accumulation;
  InputNeeds needs;
  needs.cores_per_gpu = samples * input.sample_cpu_s / staged_s;
  needs.storage_bytes_per_s = samples * input.sample_storage_bytes * cluster.ranks_per_node / staged_s;
  const std::optional<double> bytes = dataset_bytes(job);
  if (!bytes || !setting.described.storage_is_known) return needs;
  const double hot_s = simulate_step_s(setting.step, cluster, Condition::hot);
  if (const auto share = needed_share(setting, hot_s)) needs.cache_bytes = held_for_share(*share) * *bytes;
  return needs;
}

}  // namespace stash
