#include "stash/predict/script_job_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "stash/catalog/gpu_model.h"
#include "stash/core/error.h"
#include "stash/predict/script_graph.h"

namespace stash {
namespace {

constexpr double kMostFixed = 0.05;     // of the operations, in products whose size does not follow the batch
constexpr double kOneType = 0.9;        // of the operations, that a job of one type computes in it
constexpr double kWorthTelling = 0.02;  // of the step, in kernels of unknown size
constexpr double kOtherTraffic = 0.01;  // of the bytes, that may go another way than gradients

void check_recorded(const Profile& profile) {
  if (profile.work) return;
  throw Error(
      "the profile is of a script and does not say what its steps consist of: make it again with this version and "
      "without --no-work, or profile the nearest built-in model (`stash models`)");
}

// That most of the products compute in; Error where the roofline knows none such.
DType type_of(const Profile& profile) {
  if (!profile.job.dtype.empty()) return parse_dtype(profile.job.dtype);
  std::map<std::string, double> ops;
  double all = 0;
  for (const WorkRow& row : profile.work->rows) {
    ops[row.dtype] += row.operations;
    all += row.operations;
  }
  const auto most = std::ranges::max_element(ops, {}, [](const auto& entry) { return entry.second; });
  if (most == ops.end() || all <= 0) return DType::fp32;
  const bool is_known = std::ranges::any_of(kDTypes, [&](DType dtype) { return to_string(dtype) == most->first; });
  if (!is_known || most->second < kOneType * all) {
    throw Error(fmt::format(
        "the script computes {:.0f} % of its operations in {}: steps that compute in fp32, bf16 or fp16 can be "
        "predicted",
        100 * most->second / all, most->first.empty() ? "a type that is not known" : most->first));
  }
  return parse_dtype(most->first);
}

// Of profiles whose groups are not known: how much of what goes between ranks is not a sum of gradients.
void check_parallelism(const Profile& profile, const Ledger& ledger) {
  if (!ledger.communication.empty()) return;
  double all = 0, other = 0;
  std::string op;
  for (const CollectiveSummary& row : profile.collectives) {
    const double bytes = static_cast<double>(row.bytes) * static_cast<double>(row.count);
    all += bytes;
    if (row.op == "allreduce" || row.op == "broadcast" || row.op == "barrier") continue;
    other += bytes;
    op = row.op;
  }
  if (all <= 0 || other <= kOtherTraffic * all) return;
  throw Error(
      fmt::format("the script's ranks exchange more than gradients ({}) and the profile does not say among which: make "
                  "it again with this version, and with the conditions solo or apart, and node",
                  op));
}

void state_assumptions(PredictJob& job, const ScriptWork& work, int seen_batch, bool on_known_gpu) {
  job.assumptions.push_back(
      fmt::format("the work is that of {} recorded step{} of rank 0: {} operators with their shapes, each scaled as "
                  "layers of built-in models are",
                  work.steps, work.steps == 1 ? "" : "s", work.layers.size()));
  if (job.groups) {
    for (std::string& line : job.groups->assumptions()) job.assumptions.push_back(std::move(line));
  } else {
    job.assumptions.push_back("gradients are summed as DistributedDataParallel does, in fp32");
  }
  if (!on_known_gpu) job.assumptions.push_back("times were not recorded on a GPU of the catalogue and do not count");
  if (work.unsized_ratio > kWorthTelling) {
    job.assumptions.push_back(
        fmt::format("compiled kernels of which no size is known took {:.0f} % of the step: taken to read and write "
                    "what is between two products once",
                    100 * work.unsized_ratio));
  }
  if (work.batch > 0 && seen_batch == 0) {
    job.assumptions.push_back(
        fmt::format("a batch counts {} samples, the first dimension of what the model was given", work.batch));
  }
  if (work.batch == 0) job.assumptions.push_back("the number of samples in a step is not known: it counts as one");
}

}  // namespace

PredictJob job_of_script(Profile profile, Ledger ledger) {
  check_recorded(profile);
  check_parallelism(profile, ledger);
  const ScriptWork& work = *profile.work;
  PredictJob job;
  job.graph = graph_of(work, job_name(profile.job));
  job.dtype = type_of(profile);
  job.batch = std::max(1, work.batch);
  job.bucket_bytes = profile.job.bucket_bytes;
  job.prefetch = std::max(1, profile.job.prefetch);
  if (work.passes > 1) job.accumulation = work.passes;
  job.sample_device_bytes = work.sample_bytes.value_or(0);
  if (profile.dataset_samples) job.samples = static_cast<double>(*profile.dataset_samples);
  if (std::optional<ScriptGroups> groups = script_groups(profile, ledger)) {
    job.groups = std::make_shared<ScriptGroups>(std::move(*groups));
  }
  const Gpu* const gpu = work.on_gpu ? gpu_of(profile.job.device, profile.machine.gpus) : nullptr;
  state_assumptions(job, work, profile.job.batch, gpu != nullptr);
  profile.job.batch = job.batch;
  profile.job.dtype = to_string(job.dtype);
  profile.layers = layer_times_of(work, job.graph, job.dtype);
  job.profile = std::make_shared<MeasuredProfile>(
      MeasuredProfile{.profile = std::move(profile), .ledger = std::move(ledger), .gpu = gpu});
  return job;
}

void check_script_allows(const PredictJob& job) {
  if (!job.profile || !job.profile->profile.work) return;
  const ScriptWork& work = *job.profile->profile.work;
  const Job& measured = job.profile->profile.job;
  if (job.batch != measured.batch && work.batch == 0) {
    throw UsageError(
        "another batch cannot be predicted: how many samples the script's batches have is not known; mark them with "
        "stash.wrap(iterator)");
  }
  if (job.batch != measured.batch && work.fixed_ratio > kMostFixed) {
    throw UsageError(
        fmt::format("another batch cannot be predicted: {:.0f} % of the script's operations are in products whose size "
                    "does not follow the batch of {}",
                    100 * work.fixed_ratio, work.batch));
  }
  if (to_string(job.dtype) != measured.dtype && work.compiled && work.unsized_ratio > kMostFixed) {
    throw UsageError(
        fmt::format("another type cannot be predicted: the script is compiled, and {:.0f} % of its step are in kernels "
                    "of which no size is known",
                    100 * work.unsized_ratio));
  }
}

}  // namespace stash
