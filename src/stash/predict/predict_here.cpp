#include <fmt/format.h>

#include "stash/core/error.h"
#include "stash/predict/calibrate.h"
#include "stash/predict/epoch_times.h"
#include "stash/predict/gpu_fit.h"
#include "stash/predict/other_ranks.h"
#include "stash/predict/predict.h"
#include "stash/predict/predicted_step.h"
#include "stash/predict/script_graph.h"

namespace stash {
namespace {

// As the driver says, or as the data sheet of the GPU that is emulated.
std::optional<double> gpu_memory_here(const MeasuredProfile& measured) {
  const std::vector<GpuInfo>& gpus = measured.profile.machine.gpus;
  if (measured.profile.job.device.is_emulated()) return static_cast<double>(measured.gpu->memory_bytes);
  if (gpus.empty() || !gpus.front().memory_bytes) return std::nullopt;
  return static_cast<double>(*gpus.front().memory_bytes);
}

// The job that the profile measured, whatever is asked of it.
PredictJob job_as_measured(PredictJob job) {
  const Job& from = job.profile->profile.job;
  job.batch = from.batch;
  job.dtype = parse_dtype(from.dtype);
  job.bucket_bytes = from.bucket_bytes;
  job.blocking_calls = 0;
  return job;
}

// What was recorded on a CPU says how long operators take there, as they are. Together with the update they take what
// the step was measured to compute; what it takes beyond them is the host's.
ScaledTimes recorded_times(const MeasuredProfile& measured) {
  ScaledTimes times;
  times.layers = measured.profile.layers;
  times.optimizer_s = update_s(*measured.profile.work);
  const double recorded_s = times.compute_s();
  const double compute_s = layers_of(measured).compute_s.value_or(recorded_s);
  const double ratio = recorded_s > compute_s ? compute_s / recorded_s : 1;
  for (LayerTime& layer : times.layers) {
    layer.forward_s = layer.forward_s.value_or(0) * ratio;
    layer.backward_s = layer.backward_s.value_or(0) * ratio;
  }
  times.optimizer_s *= ratio;
  times.overhead_s = std::max(0.0, compute_s - recorded_s);
  return times;
}

void check_cpu(const PredictJob& job) {
  const Profile& profile = job.profile->profile;
  if (!profile.work || !profile.job.device.is_cpu()) {
    throw Error(profile.job.device.is_cpu()
                    ? "the profile was made on the CPU, whose layer times are not simulated: name a machine with --on"
                    : "the catalogue does not have the GPU of the profile: name a machine with --on");
  }
  if (job.batch == profile.job.batch && to_string(job.dtype) == profile.job.dtype) return;
  throw Error(
      fmt::format("what the CPU takes was recorded with batch {} in {} and does not scale to another batch or type: "
                  "name a machine with --on",
                  profile.job.batch, profile.job.dtype));
}

void check_groups(const PredictJob& job, int ranks) {
  if (!job.groups) return;
  if (!job.profile->profile.job.inject.group_link_bytes_per_s.empty()) {
    throw Error(
        "links of single process groups were injected, which ranks on this machine do not have: name one with --on");
  }
  if (ranks % job.groups->fixed_ranks == 0) return;
  throw Error(
      fmt::format("the script's process groups that keep their ranks need a multiple of {}, and there would be {}",
                  job.groups->fixed_ranks, ranks));
}

// What ran cannot be too large.
void check_fit(const PredictJob& job) {
  const MeasuredProfile& measured = *job.profile;
  if (measured.gpu == nullptr) return;
  if (job.dtype == parse_dtype(measured.profile.job.dtype) && job.batch <= measured.profile.job.batch) return;
  const std::string why = why_no_fit(job, *measured.gpu, gpu_memory_here(measured));
  if (why.empty()) return;
  throw Error(fmt::format("the profile's machine cannot run {} with batch {} in {}: it {}", job.graph.name, job.batch,
                          to_string(job.dtype), why));
}

void check_gpus(const MeasuredProfile& measured, int ranks) {
  const std::size_t gpus = measured.profile.machine.gpus.size();
  const int ran = measured.profile.job.ranks / count_nodes(measured.profile.places);
  const JobDevice& device = measured.profile.job.device;
  if (device.is_emulated() || device.is_cpu() || ranks <= ran || gpus == 0) return;
  if (static_cast<std::size_t>(ranks) <= gpus) return;
  throw Error(fmt::format("the profile's machine has {} GPU{}: --set ranks={} needs {}", gpus, gpus == 1 ? "" : "s",
                          ranks, ranks));
}

}  // namespace

StepJob Predictor::step_here_as_measured(const Cluster& cluster) const {
  const PredictJob job = job_as_measured(job_);
  const MeasuredProfile& measured = *job.profile;
  const ScaledTimes times = measured.gpu == nullptr
                                ? recorded_times(measured)
                                : scaled_times(job.graph, layers_of(measured), job.batch, job.dtype, *measured.gpu);
  return predicted_step(job, times, cluster, job.profile->profile.work ? job.profile->profile.work->passes : 1);
}

Setting Predictor::setting_here() {
  if (!job_.profile) throw UsageError("a machine is missing: name one with --on, or give a profile");
  if (what_if_.all_reduce) {
    throw UsageError(
        "--set reduce applies to machines of the catalogue, not to links that a profile measured: name one with --on");
  }
  if (!what_if_.placement.empty()) {
    throw UsageError(
        "--set placement applies to machines of the catalogue, whose wiring is known: name one with --on, or give "
        "--set "
        "ranks=N");
  }
  const MeasuredProfile& measured = *job_.profile;
  if (measured.gpu == nullptr) check_cpu(job_);
  check_fit(job_);
  DescribedCluster described = measured_cluster(measured, what_if_);
  const StepJob as_measured = step_here_as_measured(described.cluster);
  const bool was_injected = measured.profile.job.inject.link_bytes_per_s.has_value();
  if (!measured.profile.job.command.empty()) {
    const bool is_given = what_if_.link_bytes_per_s || what_if_.network_bytes_per_s;
    if (!was_injected && !is_given) calibrate_hops(described.cluster, as_measured, measured.ledger);
  } else {
    calibrate_links(described.cluster, as_measured, measured.ledger);
  }
  calibrate_copies(described.cluster, as_measured, measured.ledger);
  if (what_if_.ranks) {
    check_gpus(measured, *what_if_.ranks);
    use_ranks(described, *what_if_.ranks, measured.profile.job.device.is_cpu());
  }
  const int gpus = described.cluster.nodes * described.cluster.ranks_per_node;
  check_groups(job_, gpus);
  const std::optional<int> passes = passes_of(job_, gpus);
  if (!passes) {
    throw UsageError(fmt::format("--global-batch {} is no multiple of --batch {} on {} ranks", *job_.global_batch,
                                 job_.batch, gpus));
  }
  if (!job_.workers) job_.workers = measured.profile.job.workers;
  Setting here = setting(measured.gpu == nullptr ? recorded_times(measured) : times_on(*measured.gpu),
                         std::move(described), *passes);
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
  prediction.gpu = job_.profile->gpu == nullptr ? "CPU" : job_.profile->gpu->name;
  const std::optional<double> memory = gpu_memory_here(*job_.profile);
  if (auto doubt = fit_doubt(job_, memory)) prediction.assumptions.push_back(std::move(*doubt));
  add_epochs(prediction, job_.samples);
  return prediction;
}

}  // namespace stash
