#include "stash/cli/split_predictions.h"

#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/core/words.h"
#include "stash/models/gpt_spec.h"
#include "stash/plan/gpt_prediction.h"
#include "stash/predict/epoch_times.h"

namespace stash {
namespace {

// Of a split nothing but rates can be changed.
WhatIf changed_rates(const PredictFlags& job) {
  const WhatIf what_if = job.what_if();
  WhatIf rates;
  rates.network_bytes_per_s = what_if.network_bytes_per_s;
  rates.link_bytes_per_s = what_if.link_bytes_per_s;
  rates.links = what_if.links;
  if (what_if == rates) return rates;
  throw UsageError("--set takes network and links where a model is split by --tensor, --pipeline or --data");
}

SplitJob split_job(const PredictFlags& job, const SplitFlags& split) {
  if (!job.model || !is_gpt_spec(*job.model)) {
    throw UsageError("--data, --tensor, --pipeline and what goes with them are for language models: --model gpt:…");
  }
  if (!job.profile.empty() || !job.measured.empty() || job.image_size || job.seq_len || job.sample_bytes ||
      job.sample_cpu || job.loader) {
    throw UsageError(
        "a model that is split takes no profile, --measured, --image-size, --seq-len or flags of its input; "
        "seq=1024 in gpt:… says how long sequences are");
  }
  SplitJob made{.size = parse_gpt_spec(*job.model), .global_batch = job.global_batch, .split = split.search()};
  if (job.dtype) made.dtype = parse_dtype(*job.dtype);
  if (job.batch && made.split.micro_batch && *job.batch != *made.split.micro_batch) {
    throw UsageError("--batch and --micro-batch contradict each other: give one of them");
  }
  if (job.batch) made.split.micro_batch = job.batch;
  if (made.split.micro_batch.value_or(1) < 1 || made.global_batch.value_or(1) < 1) {
    throw UsageError("--batch and --global-batch take whole numbers above 0");
  }
  return made;
}

}  // namespace

Predictions predict_splits(const PredictFlags& job, const SplitFlags& split, const std::string& on,
                           const std::string& nodes, std::optional<int> gpus, std::span<const Instance> instances) {
  const SplitJob wanted = split_job(job, split);
  const WhatIf rates = changed_rates(job);
  if (on.empty()) throw UsageError("--on is missing: on which machine? like --on p4d.24xlarge --nodes 64");
  Predictions found;
  for (const std::string& name : split_list(on)) {
    const Instance& instance = find_instance(instances, name);
    for (const int count : parse_counts(nodes, "--nodes")) {
      auto result = predict_split(wanted, instance, count, gpus, rates);
      if (auto* rejected = std::get_if<Rejected>(&result)) {
        found.rejected.push_back(std::move(*rejected));
        continue;
      }
      Prediction& prediction = found.predictions.emplace_back(std::move(std::get<Prediction>(result)));
      add_epochs(prediction, job.samples);
    }
  }
  return found;
}

}  // namespace stash
