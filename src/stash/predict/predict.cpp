#include "stash/predict/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/attribute/published.h"
#include "stash/attribute/steady_fetch.h"
#include "stash/catalog/gpu.h"
#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/models/memory.h"
#include "stash/predict/calibrate.h"
#include "stash/predict/interval.h"
#include "stash/predict/simulate.h"

namespace stash {
namespace {

constexpr double kOverlapRatio = 2;     // what overlapping costs differs by this between programs
constexpr double kWaitsMore = 0.15;     // what programs lose to ranks beside each other, by bench/scaling_rows
constexpr double kInputRatio = 1.25;    // another machine's cores and disks
constexpr double kMeasuredRatio = 1.1;  // links and input that were measured, from one minute to the next
// Frameworks that use buffers again need less than all outputs of all layers: what is beyond even this cannot fit.
constexpr double kLeastMemoryRatio = 0.6;
constexpr int kMostNodes = 4096;

double memory_bytes(const PredictJob& job) { return training_bytes(job.graph, job.batch, element_bytes(job.dtype)); }

double sample_device_bytes(const Graph& graph) {
  if (graph.input == InputKind::images) return 4.0 * 3 * graph.image_size * graph.image_size;
  return 8.0 * graph.seq_len;
}

// Parts of which nothing is known are absent; they added nothing.
void leave_out(Ledger& ledger, Condition condition) {
  ledger[part_added_by(condition)].reset();
  ledger.step_by_condition.erase(condition);
  if (!ledger.step_by_condition.empty()) ledger.step = ledger.step_by_condition.rbegin()->second;
}

std::optional<SteadyFetch> steady_fetch(const PredictJob& job, const StepJob& step, const DescribedCluster& described,
                                        const Ledger& ledger) {
  if (!ledger[Part::fetch] || !described.cache_bytes || !job.samples || !job.sample) return std::nullopt;
  const CachedShare share = cached_share(*described.cache_bytes / (*job.samples * job.sample->storage_bytes));
  const double hot_s = ledger.step_by_condition.at(Condition::hot).s;
  const auto added_s = [&](double cached_ratio) {
    return std::max(0.0, simulate_cached_s(step, described.cluster, cached_ratio) - hot_s);
  };
  const double cached = (share.low_ratio + share.high_ratio) / 2;
  return SteadyFetch{.fetch = {added_s(cached), added_s(share.high_ratio), added_s(share.low_ratio)},
                     .cached_ratio = cached};
}

void add_epochs(Prediction& prediction, std::optional<double> samples) {
  if (!samples) return;
  const double per_step = static_cast<double>(prediction.batch) * prediction.accumulation * prediction.gpus;
  const double steps = std::ceil(*samples / per_step);
  prediction.first_epoch_s = steps * prediction.ledger.step.s;
  prediction.epoch_s = steps * steady_step_s(prediction.ledger);
  if (prediction.usd_per_h) prediction.epoch_usd = *prediction.epoch_s / kSecondsPerHour * *prediction.usd_per_h;
}

void add_links(Prediction& prediction, const Instance& instance, const WhatIf& what_if) {
  if (prediction.gpus == prediction.nodes) return;  // one GPU of a node has no peer there
  const std::optional<GpuLinks> links = what_if.links ? what_if.links : instance.links;
  if (links) prediction.links = to_string(*links);
  prediction.links_known = what_if.links || what_if.link_bytes_per_s || links_are_known(instance);
}

std::string too_little_memory(double needed, double there) {
  return fmt::format("needs about {} of GPU memory and has {}: {} are missing", format_bytes(needed),
                     format_bytes(there), format_bytes(needed - there));
}

}  // namespace

Predictor::Predictor(PredictJob job, WhatIf what_if) : job_(std::move(job)), what_if_(std::move(what_if)) {
  if (what_if_.bucket_bytes) job_.bucket_bytes = *what_if_.bucket_bytes;
  if (what_if_.workers) job_.workers = what_if_.workers;
}

const ScaledTimes& Predictor::times_on(const Gpu& gpu) {
  const auto known = times_.find(&gpu);
  if (known != times_.end()) return known->second;
  const auto make = [&] {
    if (job_.measured) {
      return scaled_times(job_.graph, job_.batch, job_.dtype, *job_.measured->gpu, job_.measured->step_s, gpu);
    }
    if (job_.profile && job_.profile->gpu) {
      const MeasuredProfile& from = *job_.profile;
      const std::optional<Estimate>& compute = from.ledger[Part::compute];
      return scaled_times(job_.graph,
                          {.layers = from.profile.layers,
                           .batch = from.profile.job.batch,
                           .gpu = from.gpu,
                           .compute_s = compute ? std::optional(compute->s) : std::nullopt},
                          job_.batch, job_.dtype, gpu);
    }
    return scaled_times(job_.graph, job_.batch, job_.dtype, gpu);
  };
  return times_.emplace(&gpu, make()).first->second;
}

std::optional<int> Predictor::accumulation(int gpus) const {
  if (!job_.global_batch) return 1;
  const std::int64_t pass = std::int64_t{job_.batch} * gpus;
  if (*job_.global_batch % pass != 0) return std::nullopt;
  return static_cast<int>(*job_.global_batch / pass);
}

int Predictor::workers(const Cluster& cluster) const {
  if (job_.workers) return *job_.workers;
  if (std::isinf(cluster.cores)) return 1;
  return std::max(1, static_cast<int>(cluster.cores / cluster.ranks_per_node));
}

StepJob Predictor::step_job(const ScaledTimes& times, const Cluster& cluster, int accumulation,
                            std::int64_t bucket_bytes) const {
  StepJob step = make_step_job(job_.graph, times.layers, bucket_bytes);
  for (StepLayer& layer : step.layers) {
    layer.gradient_bytes =
        static_cast<std::int64_t>(static_cast<double>(layer.gradient_bytes) * times.gradient_bytes_ratio);
  }
  if (job_.reduces_at_end) {  // one bucket that the whole backward pass fills
    std::int64_t all_bytes = 0;
    for (const StepLayer& layer : step.layers) all_bytes += layer.gradient_bytes;
    step.buckets = {all_bytes};
  } else {
    for (std::int64_t& bytes : step.buckets) {
      bytes = static_cast<std::int64_t>(static_cast<double>(bytes) * times.gradient_bytes_ratio);
    }
  }
  step.optimizer_s = times.optimizer_s;
  step.overhead_s = times.overhead_s;
  step.batch = job_.batch;
  step.accumulation = accumulation;
  step.blocking_calls = what_if_.blocking_calls.value_or(0);
  step.sample_device_bytes = sample_device_bytes(job_.graph);
  if (job_.sample) {
    step.input = StepInput{.sample_storage_bytes = job_.sample->storage_bytes,
                           .sample_cpu_s = job_.sample->cpu_s,
                           .sample_least_s = job_.sample->least_s,
                           .workers = workers(cluster),
                           .prefetch = job_.prefetch};
  }
  return step;
}

Prediction Predictor::simulate(const Setting& setting) const {
  const Cluster& cluster = setting.described.cluster;
  Prediction prediction;
  prediction.nodes = cluster.nodes;
  prediction.gpus = cluster.nodes * cluster.ranks_per_node;
  prediction.batch = job_.batch;
  prediction.accumulation = setting.step.accumulation;
  prediction.memory_bytes = memory_bytes(job_);
  prediction.ledger = simulate_with_intervals(setting.step, cluster, setting.uncertainty);
  if (!setting.described.contention_is_known) leave_out(prediction.ledger, Condition::apart);
  if (!setting.described.storage_is_known) leave_out(prediction.ledger, Condition::cold);
  prediction.ledger.published = published_ratios(prediction.ledger, prediction.gpus, prediction.nodes);
  prediction.ledger.steady_fetch = steady_fetch(job_, setting.step, setting.described, prediction.ledger);
  prediction.job_error_ratio = setting.uncertainty.job_error_ratio;
  prediction.assumptions = setting.assumptions;
  for (const std::optional<ReachedRate>& rate : {setting.described.links, setting.described.network}) {
    if (!rate) continue;
    prediction.rates.push_back(*rate);
    prediction.assumptions.push_back(sentence_of(*rate));
  }
  return prediction;
}

Setting Predictor::setting(const ScaledTimes& times, DescribedCluster described, int accumulation) const {
  Setting setting;
  setting.step = step_job(times, described.cluster, accumulation, job_.bucket_bytes);
  setting.uncertainty = {.compute_low_ratio = times.low_ratio,
                         .compute_high_ratio = times.high_ratio,
                         .job_error_ratio = times.job_error_ratio,
                         .links_ratio = described.links ? described.links->uncertainty_ratio() : kMeasuredRatio,
                         .network_ratio = described.network ? described.network->uncertainty_ratio() : kMeasuredRatio,
                         .input_ratio = described.is_measured ? kMeasuredRatio : kInputRatio,
                         .overlap_ratio = described.is_measured ? 1 : kOverlapRatio,
                         .waits_more = described.is_measured ? 0 : kWaitsMore};
  const auto assume = [&](const std::vector<std::string>& more) {
    setting.assumptions.insert(setting.assumptions.end(), more.begin(), more.end());
  };
  assume(job_.assumptions);
  assume(times.assumptions);
  assume(described.assumptions);
  setting.described = std::move(described);
  return setting;
}

// What an emulated accelerator took is what was estimated for it, not what the GPU takes.
void Predictor::widen_as_estimated(Setting& setting, const Instance& instance) const {
  const ScaledTimes alone = scaled_times(job_.graph, job_.batch, job_.dtype, *known_gpu(instance));
  Uncertainty& uncertainty = setting.uncertainty;
  uncertainty.compute_low_ratio = std::min(uncertainty.compute_low_ratio, alone.low_ratio);
  uncertainty.compute_high_ratio = std::max(uncertainty.compute_high_ratio, alone.high_ratio);
  uncertainty.job_error_ratio = alone.job_error_ratio;
  setting.assumptions.push_back("the profile's GPUs were emulated: its layer times are estimates from the model alone");
}

// Why a machine cannot run the job whatever its GPUs' number; empty: it can.
std::string Predictor::misfit(const Instance& instance) const {
  const Gpu* gpu = known_gpu(instance);
  if (gpu == nullptr) return fmt::format("the rates of its GPU ({}) are not known", instance.gpu);
  if (job_.dtype != DType::fp32 && !(job_.dtype == DType::fp16 ? gpu->fp16_ops_per_s : gpu->bf16_ops_per_s)) {
    return fmt::format("a {} does not compute with {}", gpu->name, to_string(job_.dtype));
  }
  const double needed = memory_bytes(job_);
  const std::optional<std::int64_t> memory = gpu_memory_bytes(instance);
  if (memory && needed * kLeastMemoryRatio > static_cast<double>(*memory)) {
    return too_little_memory(needed, static_cast<double>(*memory));
  }
  return "";
}

std::variant<Setting, Rejected> Predictor::setting_on(const Instance& instance, int nodes, std::optional<int> gpus) {
  if (nodes < 1 || nodes > kMostNodes) {
    throw UsageError(fmt::format("--nodes {} is out of range: it takes 1 to {}", nodes, kMostNodes));
  }
  const auto reject = [&](std::string why) {
    return Rejected{.cloud = instance.cloud, .instance = instance.name, .nodes = nodes, .why = std::move(why)};
  };
  if (std::string why = misfit(instance); !why.empty()) return reject(std::move(why));
  if (gpus && (*gpus < nodes || *gpus % nodes != 0 || *gpus / nodes > instance.gpus)) {
    return reject(fmt::format("has {} GPUs per node: {} nodes cannot give --gpus {}", instance.gpus, nodes, *gpus));
  }
  const int gpus_per_node = gpus ? *gpus / nodes : instance.gpus;
  const std::optional<int> passes = accumulation(nodes * gpus_per_node);
  if (!passes) {
    return reject(fmt::format("--global-batch {} is no multiple of --batch {} on {} GPUs", *job_.global_batch,
                              job_.batch, nodes * gpus_per_node));
  }
  DescribedCluster described = describe_cluster(instance, nodes, gpus_per_node, what_if_);
  if (!described.network_is_known) return reject("the rate of its network is not known: give --set network=10Gbit/s");
  if (job_.measured) described.cluster.copy_bytes_per_s.reset();  // what was measured has them in it
  Setting found = setting(times_on(*known_gpu(instance)), std::move(described), *passes);
  if (job_.profile && job_.profile->profile.job.device.is_emulated()) widen_as_estimated(found, instance);
  return found;
}

std::variant<Prediction, Rejected> Predictor::on(const Instance& instance, int nodes, std::optional<int> gpus) {
  auto found = setting_on(instance, nodes, gpus);
  if (auto* rejected = std::get_if<Rejected>(&found)) return std::move(*rejected);
  Prediction prediction = simulate(std::get<Setting>(found));
  prediction.cloud = instance.cloud;
  prediction.instance = instance.name;
  prediction.gpu = instance.gpu;
  add_links(prediction, instance, what_if_);
  if (instance.usd_per_h) prediction.usd_per_h = *instance.usd_per_h * nodes;
  if (instance.spot_usd_per_h) prediction.spot_usd_per_h = *instance.spot_usd_per_h * nodes;
  const std::optional<std::int64_t> memory = gpu_memory_bytes(instance);
  if (memory && prediction.memory_bytes > static_cast<double>(*memory)) {
    prediction.assumptions.push_back("it may not fit: it " +
                                     too_little_memory(prediction.memory_bytes, static_cast<double>(*memory)));
  }
  add_epochs(prediction, job_.samples);
  return prediction;
}

Setting Predictor::setting_here() {
  if (!job_.profile) throw UsageError("a machine is missing: name one with --on, or give a profile");
  const MeasuredProfile& measured = *job_.profile;
  if (measured.gpu == nullptr) {
    throw Error("the profile was made on the CPU, whose layer times are not simulated: name a machine with --on");
  }
  DescribedCluster described = measured_cluster(measured, what_if_);
  const int gpus = described.cluster.nodes * described.cluster.ranks_per_node;
  const std::optional<int> passes = accumulation(gpus);
  if (!passes) {
    throw UsageError(fmt::format("--global-batch {} is no multiple of --batch {} on {} ranks", *job_.global_batch,
                                 job_.batch, gpus));
  }
  if (!job_.workers) job_.workers = measured.profile.job.workers;
  const ScaledTimes& times = times_on(*measured.gpu);
  Setting here = setting(times, std::move(described), *passes);
  if (job_.batch == measured.profile.job.batch && *passes == 1) {
    Cluster& cluster = here.described.cluster;
    const StepJob as_measured = step_job(times, cluster, *passes, measured.profile.job.bucket_bytes);
    calibrate_links(cluster, as_measured, measured.ledger);
    calibrate_copies(cluster, as_measured, measured.ledger);
  }
  if (const auto& compute = measured.ledger[Part::compute]; compute && compute->low_s > 0) {
    here.uncertainty.compute_low_ratio *= compute->low_s / compute->s;
    here.uncertainty.compute_high_ratio *= compute->high_s / compute->s;
  }
  return here;
}

Prediction Predictor::here() {
  Prediction prediction = simulate(setting_here());
  const std::string& host = job_.profile->profile.machine.hostname;
  prediction.cloud = "own";
  prediction.instance = host.empty() ? "here" : host;
  prediction.gpu = job_.profile->gpu->name;
  add_epochs(prediction, job_.samples);
  return prediction;
}

Predictions predict_all(Predictor& predictor, std::span<const Instance> instances, int most_nodes) {
  Predictions all;
  for (const Instance& instance : instances) {
    if (instance.gpus == 0) continue;
    for (int nodes = 1; nodes <= most_nodes; ++nodes) {
      auto result = predictor.on(instance, nodes);
      if (auto* prediction = std::get_if<Prediction>(&result)) {
        all.predictions.push_back(std::move(*prediction));
        continue;
      }
      Rejected& rejected = std::get<Rejected>(result);
      const bool known = !all.rejected.empty() && all.rejected.back().instance == rejected.instance &&
                         all.rejected.back().why == rejected.why;
      if (!known) all.rejected.push_back(std::move(rejected));
    }
  }
  return all;
}

}  // namespace stash
