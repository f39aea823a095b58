#include "stash/predict/predict_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/attribute/attribute.h"
#include "stash/catalog/gpu_model.h"
#include "stash/core/error.h"
#include "stash/models/job_graph.h"
#include "stash/predict/script_graph.h"
#include "stash/predict/script_job_of.h"

namespace stash {
namespace {

void check_usable(const Profile& profile) {
  if (profile.layers.empty()) {
    throw Error("the profile has no layers: it ended too early; make it again with a longer --max-time");
  }
}

std::optional<SampleCost> sample_cost(const Profile& profile) {
  SampleCost sum;
  double samples = 0;
  for (const InputCounters& counters : profile.inputs) {
    sum.storage_bytes += static_cast<double>(counters.read_bytes);
    sum.cpu_s += counters.decode_s + counters.augment_s;
    samples += static_cast<double>(counters.samples);
  }
  if (samples == 0) return std::nullopt;
  return SampleCost{.storage_bytes = sum.storage_bytes / samples,
                    .cpu_s = sum.cpu_s / samples,
                    .least_s = profile.job.inject.prep_s_per_sample.value_or(0)};
}

// Of a step that accumulates gradients, one pass and the update.
double pass_s(const Profile& profile, double step_s) {
  if (!profile.work || profile.work->passes == 1) return step_s;
  const double update = std::min(update_s(*profile.work), step_s);
  return (step_s - update) / profile.work->passes + update;
}

}  // namespace

MeasuredLayers layers_of(const MeasuredProfile& from) {
  const std::optional<Estimate>& compute = from.ledger[Part::compute];
  return {.layers = from.profile.layers,
          .batch = from.profile.job.batch,
          .gpu = from.gpu,
          .compute_s = compute ? std::optional(pass_s(from.profile, compute->s)) : std::nullopt,
          .dtype = parse_dtype(from.profile.job.dtype)};
}

PredictJob job_of_profile(Profile profile) {
  Ledger ledger = attribute(profile);
  return job_of_profile(std::move(profile), std::move(ledger));
}

PredictJob job_of_profile(Profile profile, Ledger ledger) {
  if (!profile.job.command.empty()) return job_of_script(std::move(profile), std::move(ledger));
  check_usable(profile);
  const Job& from = profile.job;
  PredictJob job;
  job.graph = graph_of(from);
  job.dtype = parse_dtype(from.dtype);
  job.batch = from.batch;
  job.bucket_bytes = from.bucket_bytes;
  job.prefetch = from.prefetch;
  job.sample = sample_cost(profile);
  if (profile.dataset_samples) job.samples = static_cast<double>(*profile.dataset_samples);
  if (!job.sample) job.assumptions.push_back("the profile measured no input: prep and fetch are left out");
  const Gpu* gpu = gpu_of(from.device, profile.machine.gpus);
  if (gpu == nullptr) {
    job.assumptions.push_back(
        fmt::format("layer times follow from the model alone: those measured on {} do not scale to a GPU",
                    from.device.is_cpu() ? "the CPU" : "a GPU that the catalogue does not have"));
  }
  job.profile = std::make_shared<MeasuredProfile>(
      MeasuredProfile{.profile = std::move(profile), .ledger = std::move(ledger), .gpu = gpu});
  return job;
}

}  // namespace stash
