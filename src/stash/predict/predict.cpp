#include "stash/predict/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stash/attribute/published.h"
#include "stash/attribute/steady_fetch.h"
#include "stash/catalog/gpu.h"
#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/predict/epoch_times.h"
#include "stash/predict/gpu_fit.h"
#include "stash/predict/predicted_step.h"
#include "stash/predict/script_job_of.h"
#include "stash/predict/simulate.h"

namespace stash {
namespace {

constexpr double kOverlapRatio = 2;  // what overlapping costs differs by this between programs
// What programs lose to ranks beside each other: on left-out machines 95 % of the rows lose less than this beyond what
// is expected (0.17 where little is sent), by bench/scaling_rows.
constexpr double kWaitsMore = 0.18;
constexpr double kInputRatio = 1.25;    // another machine's cores and disks
constexpr double kMeasuredRatio = 1.1;  // links and input that were measured, from one minute to the next
constexpr int kMostNodes = 4096;

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

std::optional<double> memory_of(const Instance& instance) {
  const std::optional<std::int64_t> bytes = gpu_memory_bytes(instance);
  return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
}

void add_links(Prediction& prediction, const Instance& instance, const WhatIf& what_if) {
  if (prediction.gpus == prediction.nodes) return;  // one GPU of a node has no peer there
  const std::optional<GpuLinks> links = what_if.links ? what_if.links : instance.links;
  if (links) prediction.links = to_string(*links);
  prediction.links_known = what_if.links || what_if.link_bytes_per_s || links_are_known(instance);
}

PredictJob changed(PredictJob job, const WhatIf& what_if) {
  if (what_if.bucket_bytes) job.bucket_bytes = *what_if.bucket_bytes;
  if (what_if.blocking_calls) job.blocking_calls = *what_if.blocking_calls;
  if (what_if.workers) job.workers = what_if.workers;
  if (what_if.batch) job.batch = *what_if.batch;
  if (what_if.dtype) job.dtype = *what_if.dtype;
  if (what_if.accumulation) job.accumulation = what_if.accumulation;
  job.reduces_at_end |= what_if.all_reduce == AllReduce::gather;
  return job;
}

// GPUs of each node; a string: why they cannot be.
std::variant<int, std::string> gpus_per_node(const Instance& instance, int nodes, std::optional<int> gpus,
                                             const WhatIf& what_if) {
  const std::optional<int> ranks = what_if.ranks;
  for (const int gpu : what_if.placement) {
    if (gpu < instance.gpus) continue;
    return fmt::format("has {} GPU{} per node, numbered from 0: --set placement names GPU {}", instance.gpus,
                       instance.gpus == 1 ? "" : "s", gpu);
  }
  if (ranks && *ranks > instance.gpus) {
    return fmt::format("has {} GPU{} per node: --set ranks={} needs {} more", instance.gpus,
                       instance.gpus == 1 ? "" : "s", *ranks, *ranks - instance.gpus);
  }
  if (ranks) return *ranks;
  if (!gpus) return instance.gpus;
  if (*gpus >= nodes && *gpus % nodes == 0 && *gpus / nodes <= instance.gpus) return *gpus / nodes;
  return fmt::format("has {} GPU{} per node: {} node{} cannot give --gpus {}", instance.gpus,
                     instance.gpus == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s", *gpus);
}

}  // namespace

Predictor::Predictor(PredictJob job, WhatIf what_if) : what_if_(what_if) {
  if (!job.measured.empty()) calibration_.emplace(job);
  job_ = changed(std::move(job), what_if_);
  check_script_allows(job_);
}

const ScaledTimes& Predictor::times_on(const Gpu& gpu) {
  const auto known = times_.find(&gpu);
  if (known != times_.end()) return known->second;
  const auto make = [&] {
    if (calibration_) return calibration_->times_on(job_, gpu);
    if (job_.profile && job_.profile->gpu) {
      return scaled_times(job_.graph, layers_of(*job_.profile), job_.batch, job_.dtype, gpu);
    }
    return scaled_times(job_.graph, job_.batch, job_.dtype, gpu);
  };
  return times_.emplace(&gpu, make()).first->second;
}

Prediction Predictor::simulate(const Setting& setting) const {
  const Cluster& cluster = setting.described.cluster;
  Prediction prediction;
  prediction.nodes = cluster.nodes;
  prediction.gpus = cluster.nodes * cluster.ranks_per_node;
  prediction.batch = job_.batch;
  prediction.accumulation = setting.step.accumulation;
  prediction.dtype = to_string(job_.dtype);
  prediction.memory_bytes = memory_bytes(job_, prediction.gpus);
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
  setting.step = predicted_step(job_, times, described.cluster, accumulation);
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

std::variant<Setting, Rejected> Predictor::setting_on(const Instance& instance, int nodes, std::optional<int> gpus) {
  if (nodes < 1 || nodes > kMostNodes) {
    throw UsageError(fmt::format("--nodes {} is out of range: it takes 1 to {}", nodes, kMostNodes));
  }
  const auto reject = [&](std::string why) {
    return Rejected{.cloud = instance.cloud, .instance = instance.name, .nodes = nodes, .why = std::move(why)};
  };
  const Gpu* gpu = known_gpu(instance);
  if (gpu == nullptr) return reject(fmt::format("the rates of its GPU ({}) are not known", instance.gpu));
  const auto each = gpus_per_node(instance, nodes, gpus, what_if_);
  if (const auto* why = std::get_if<std::string>(&each)) return reject(*why);
  const int all = nodes * std::get<int>(each);
  if (std::string why = why_no_fit(job_, *gpu, memory_of(instance), all); !why.empty()) return reject(std::move(why));
  if (job_.groups && all % job_.groups->fixed_ranks != 0) {
    return reject(fmt::format("has {} GPUs, and groups that keep their ranks need a multiple of {}", all,
                              job_.groups->fixed_ranks));
  }
  const std::optional<int> passes = passes_of(job_, all);
  if (!passes) {
    return reject(
        fmt::format("--global-batch {} is no multiple of --batch {} on {} GPUs", *job_.global_batch, job_.batch, all));
  }
  DescribedCluster described = describe_cluster(instance, nodes, std::get<int>(each), what_if_);
  if (!described.network_is_known) return reject("the rate of its network is not known: give --set network=10Gbit/s");
  StillOff still;
  if (calibration_) {
    described.cluster.copy_bytes_per_s.reset();  // what was measured has them in it
    still = calibration_->apply(instance, what_if_, described);
  }
  Setting found = setting(times_on(*gpu), std::move(described), *passes);
  if (still.links_ratio) found.uncertainty.links_ratio = *still.links_ratio;
  if (still.network_ratio) found.uncertainty.network_ratio = *still.network_ratio;
  if (still.waits_more) found.uncertainty.waits_more = *still.waits_more;
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
  if (auto doubt = fit_doubt(job_, memory_of(instance), prediction.gpus))
    prediction.assumptions.push_back(std::move(*doubt));
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
