#include "stash/cli/flags/predict_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>

#include "stash/cli/flags/job_flags.h"
#include "stash/cli/flags/measured_flag.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/core/words.h"
#include "stash/models/models.h"
#include "stash/predict/loader_cost.h"
#include "stash/predict/scaling.h"
#include "stash/predict/step_job.h"

namespace stash {
namespace {

constexpr int kDefaultBatch = 32;

int checked_batch(int batch, std::string_view flag) {
  if (batch >= 1 && batch <= kMostInBatch) return batch;
  throw UsageError(fmt::format("{} {} is out of range: it takes 1 to {}", flag, batch, kMostInBatch));
}

void refuse_both(bool flag, bool key, std::string_view flag_name, std::string_view key_name) {
  if (!flag || !key) return;
  throw UsageError(fmt::format("{} and --set {} contradict each other: give one of them", flag_name, key_name));
}

}  // namespace

std::vector<int> parse_counts(const std::string& list, std::string_view flag) {
  std::vector<int> counts;
  for (const std::string& word : split_list(list)) {
    int count = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (error != std::errc() || end != word.data() + word.size() || count < 1) {
      throw UsageError(fmt::format("{} {}: takes whole numbers above 0, like 1,2,4", flag, list));
    }
    counts.push_back(count);
  }
  if (counts.empty()) throw UsageError(fmt::format("{} is empty: it takes numbers like 1,2,4", flag));
  return counts;
}

void PredictFlags::add_job_to(CLI::App& app) {
  app.add_option("profile", profile, "Profile from `stash profile` or `stash run`")->type_name("FILE");
  app.add_option(
         "--model", model,
         "Model, if no profile is given; `stash models` lists them; also gpt:layers=24,hidden=2048,heads=16,seq=1024")
      ->type_name("NAME");
  app.add_option("--batch", batch,
                 fmt::format("Samples per GPU and pass; default: the profile's, else {}", kDefaultBatch))
      ->type_name("N");
  app.add_option("--global-batch", global_batch, "Samples per step over all GPUs; gradients are accumulated")
      ->type_name("N");
  app.add_option("--image-size", image_size, "Image width and height in pixels (image models)")->type_name("N");
  app.add_option("--seq-len", seq_len, "Tokens per sequence (language models)")->type_name("N");
  app.add_option("--dtype", dtype, "Arithmetic; default: the profile's, else fp32")->type_name(dtype_names());
  app.add_option("--sample-bytes", sample_bytes, "Bytes per sample on disk (if no profile is given)")
      ->type_name("BYTES");
  app.add_option("--sample-cpu", sample_cpu,
                 "CPU time per sample to decode in Stash's own loader (if no profile is given)")
      ->type_name("TIME");
  app.add_option(
         "--loader", loader,
         "Loader whose CPU time a sample takes: stash, torchvision (Pillow), opencv or dali; default: the profile's, "
         "else stash")
      ->type_name("NAME");
  app.add_option("--measured", measured,
                 "Measured step time of this job on INSTANCE: on one GPU, or on GPUS of them; may be repeated")
      ->type_name("INSTANCE[:GPUS]=TIME")
      ->allow_extra_args(false);
  app.add_option(
         "--set", changes,
         "What if: batch=128, dtype=bf16, accumulation=4, ranks=8 (per node), placement=0,3,5,6 (GPUs of each node), "
         "network=100Gbit/s, links=nvlink or a rate, storage=2GB/s, cache=200GiB, workers=16 (per GPU), cores=32, "
         "bucket=50MB (0: one all-reduce per "
         "gradient), blocking=3 (all-reduces of single numbers per step), "
         "reduce=ring, tree, hierarchical, server or gather; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void PredictFlags::add_to(CLI::App& app) {
  add_job_to(app);
  app.add_option("--samples", samples, "Samples per epoch; default: those of the profile's data set")->type_name("N");
}

WhatIf PredictFlags::what_if() const {
  WhatIf what_if = what_if_of(changes);
  const bool from_profile = !profile.empty();  // which says what is changed; of a model, --batch and --dtype do
  refuse_both(from_profile && batch, what_if.batch.has_value(), "--batch", "batch");
  refuse_both(from_profile && dtype, what_if.dtype.has_value(), "--dtype", "dtype");
  refuse_both(global_batch.has_value(), what_if.accumulation.has_value(), "--global-batch", "accumulation");
  return what_if;
}

PredictJob PredictFlags::job_of_model(std::span<const Instance> instances) const {
  PredictJob job;
  job.batch = checked_batch(batch.value_or(kDefaultBatch), "--batch");
  job.dtype = parse_dtype(dtype.value_or("fp32"));
  const int tokens = seq_len.value_or(ModelOptions{}.seq_len);
  if (!measured.empty()) {
    for (const std::string& text : measured) job.measured.push_back(parse_measured_step(text, instances));
    job.graph = graph_for_scaling(*model, image_size.value_or(default_image_size(*model)), tokens, job.assumptions);
    job.assumptions.push_back("copies to the GPU are part of the step that was measured");
  } else {
    job.graph = make_model(*model, {.image_size = image_size, .seq_len = tokens});
  }
  if (model->starts_with("gpt:")) {
    job.reduces_at_end = true;
    job.assumptions.push_back(
        "gradients are summed after the backward pass, as Megatron-LM does with a GPT of this kind");
  }
  return job;
}

void PredictFlags::set_sample(PredictJob& job) const {
  if (!sample_bytes && !sample_cpu) return;
  SampleCost cost = job.sample.value_or(SampleCost{});
  if (sample_bytes) cost.storage_bytes = static_cast<double>(parse_bytes(*sample_bytes, "--sample-bytes"));
  if (sample_cpu) cost.cpu_s = parse_duration_s(*sample_cpu, "--sample-cpu");
  job.sample = cost;
}

// What a profile measured is of its own loader; --sample-cpu is of Stash's.
void PredictFlags::set_loader(PredictJob& job) const {
  const bool measured_input = job.profile && job.sample && !sample_cpu && !job.profile->profile.job.loader.empty();
  const Loader& from = find_loader(measured_input ? std::string_view(job.profile->profile.job.loader) : kOwnLoader);
  const bool has_images = job.graph.input == InputKind::images;
  if (loader || (measured_input && has_images)) use_loader(job, from, loader ? find_loader(*loader) : from);
}

PredictJob PredictFlags::resolve(std::span<const Instance> instances) const {
  if (profile.empty() == !model) {
    throw UsageError(profile.empty() ? "a job is missing: give a profile, or --model NAME"
                                     : "give a profile or --model, not both");
  }
  if (!profile.empty() && (image_size || seq_len || !measured.empty())) {
    throw UsageError("--image-size, --seq-len and --measured belong to --model: a profile says what was measured");
  }
  PredictJob job = profile.empty() ? job_of_model(instances) : job_of_profile(read_profile(profile));
  if (batch) job.batch = checked_batch(*batch, "--batch");
  if (dtype) job.dtype = parse_dtype(*dtype);
  if (global_batch) job.global_batch = checked_batch(*global_batch, "--global-batch");
  set_sample(job);
  set_loader(job);
  if (profile.empty() && !job.sample) {
    job.assumptions.push_back("the input is not known: prep and fetch are left out (--sample-bytes, --sample-cpu)");
  }
  if (samples) {
    if (!(*samples >= 1) || !std::isfinite(*samples)) throw UsageError("--samples takes a number above 0");
    job.samples = samples;
  }
  return job;
}

}  // namespace stash
