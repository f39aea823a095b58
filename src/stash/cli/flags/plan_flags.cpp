#include "stash/cli/flags/plan_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "stash/catalog/instances.h"
#include "stash/cli/flags/job_flags.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/models/gpt_spec.h"
#include "stash/models/models.h"
#include "stash/plan/gpt_nodes.h"
#include "stash/predict/step_job.h"

namespace stash {
namespace {

constexpr int kDefaultPlanBatch = 512;  // of the published comparison
constexpr int kPublishedLevels = 7;
constexpr int kMostLevels = 20;  // beyond, a layer has no channel left for a device
constexpr int kMostPlansShown = 10'000;
constexpr double kMostSmallestRatio = 0.5;
constexpr std::array<std::string_view, 2> kCosts{"time", "published"};

int in_range(int value, int most, std::string_view flag) {
  if (value >= 1 && value <= most) return value;
  throw UsageError(fmt::format("{} {} is out of range: it takes 1 to {}", flag, value, most));
}

double positive_bytes_per_s(const std::string& text, std::string_view flag) {
  const double rate = parse_bytes_per_s(text, flag);
  if (rate > 0) return rate;
  throw UsageError(fmt::format("{} takes a rate above 0, like 25Gbit/s, not '{}'", flag, text));
}

// What all devices compute with and is trained in: half precision where there is any.
DType common_dtype(std::span<const PlannedDevices> devices) {
  const auto all_have = [&](std::optional<double> Gpu::* rate) {
    return std::ranges::all_of(devices,
                               [&](const PlannedDevices& kind) { return kind.gpu == nullptr || kind.gpu->*rate; });
  };
  if (all_have(&Gpu::bf16_ops_per_s)) return DType::bf16;
  return all_have(&Gpu::fp16_ops_per_s) ? DType::fp16 : DType::fp32;
}

GptNodes nodes_of(const PlannedDevices& devices, const WhatIf& what_if, bool joins_others) {
  if (devices.machine == nullptr) {
    throw UsageError(
        fmt::format("--on {}: language models are planned for GPUs, whose layer times are known", devices.text()));
  }
  GptNodes nodes = gpt_nodes(*devices.machine, devices.nodes, devices.per_node, what_if, joins_others);
  nodes.name = devices.name;
  nodes.by_gpu = !devices.named_by_machine;
  return nodes;
}

}  // namespace

void PlanFlags::add_to(CLI::App& app) {
  app.add_option("profile", profile_, "A profile of a built-in model, whose measured layer times replace the estimate")
      ->type_name("FILE");
  app.add_option("--model", model_,
                 "Model, if no profile is given: split layer by layer; gpt:layers=48,hidden=8192,heads=64,seq=2048 is "
                 "split as a language model")
      ->type_name("NAME");
  app.add_option(
         "--batch,--global-batch", batch_,
         fmt::format("Samples per step over all devices; --global-batch is the same; default: {}", kDefaultPlanBatch))
      ->type_name("N");
  app.add_option(
         "--on", on_,
         "Devices: a machine of the catalogue, or 64xTPUv2+64xTPUv3, 4xV100+4xT4, 2xp4d.24xlarge+2xp3dn.24xlarge")
      ->type_name("DEVICES");
  app.add_option("--nodes", nodes_, "Number of machines, if --on has no number; default: 1")->type_name("N");
  app.add_option("--network", network_, "Rate of each node to others; default: as the catalogue has it")
      ->type_name("RATE");
  app.add_option("--links", links_, "Rate of each GPU to others of its node; default: as the catalogue has it")
      ->type_name("RATE");
  app.add_option("--dtype", dtype_, "Arithmetic; default: bf16 where all devices have it, else fp16, else fp32")
      ->type_name(dtype_names());
  app.add_option("--image-size", image_size_, "Image width and height in pixels (image models)")->type_name("N");
  app.add_option("--smallest-ratio", smallest_ratio_,
                 fmt::format("Smallest share of a layer that a kind of devices may get; default: {}",
                             LayerPlanRules{}.smallest_ratio))
      ->type_name("RATIO");
  app.add_option("--cost", cost_, "time, or published: elements exchanged between equal halves, as AccPar's program")
      ->type_name("time|published");
  app.add_option("--levels", levels_, fmt::format("Halvings with --cost published; default: {}", kPublishedLevels))
      ->type_name("N");
  split_.add_to(app);
  app.add_option("--top", top_, "Plans of a language model to show")->type_name("N")->capture_default_str();
}

bool PlanFlags::is_published() const {
  if (!cost_) return false;
  if (std::ranges::find(kCosts, *cost_) == kCosts.end()) throw_unknown("cost", *cost_, kCosts);
  return *cost_ == "published";
}

bool PlanFlags::is_language_model() const { return model_ && is_gpt_spec(*model_); }

void PlanFlags::check_model() const {
  if (profile_.empty() == !model_) {
    throw UsageError(profile_.empty() ? "a model is missing: give --model NAME, or a profile"
                                      : "give a profile or --model, not both");
  }
  if (!is_language_model() && split_.any()) {
    throw UsageError(
        "--data, --tensor, --pipeline and what goes with them are for language models (--model gpt:…): "
        "other models are split layer by layer");
  }
  if (levels_ && !is_published())
    throw UsageError("--levels belongs to --cost published: devices have their own levels");
}

int PlanFlags::batch() const { return in_range(batch_.value_or(kDefaultPlanBatch), kMostInBatch, "--batch"); }

std::vector<PlannedDevices> PlanFlags::devices(std::span<const Instance> instances) const {
  if (on_.empty()) {
    throw UsageError("--on is missing: which devices? like --on p4d.24xlarge, or --on 4xV100+4xT4");
  }
  if (nodes_) in_range(*nodes_, kMostPlannedDevices, "--nodes");
  return parse_device_list(on_, nodes_, instances);
}

WhatIf PlanFlags::what_if() const {
  WhatIf what_if;
  if (network_) what_if.network_bytes_per_s = positive_bytes_per_s(*network_, "--network");
  if (links_) what_if.link_bytes_per_s = positive_bytes_per_s(*links_, "--links");
  return what_if;
}

LayerAnswer PlanFlags::published() const {
  check_model();
  if (!model_ || is_language_model()) {
    throw UsageError("--cost published takes a network by name, like --model vgg11");
  }
  if (!on_.empty() || network_ || links_) {
    throw UsageError("--cost published counts elements, not times: leave out --on, --network and --links");
  }
  return answer_published(*model_, batch(), in_range(levels_.value_or(kPublishedLevels), kMostLevels, "--levels"));
}

LayerJob PlanFlags::layer_job(std::span<const PlannedDevices> devices) const {
  LayerJob job;
  job.batch = batch();
  job.dtype = dtype_ ? parse_dtype(*dtype_) : common_dtype(devices);
  if (model_) {
    job.graph = make_model(*model_, {.image_size = image_size_});
    return job;
  }
  if (image_size_) throw UsageError("--image-size belongs to --model: a profile says what was measured");
  PredictJob measured = job_of_profile(read_profile(profile_));
  if (!dtype_) job.dtype = measured.dtype;
  job.graph = std::move(measured.graph);
  job.profile = std::move(measured.profile);
  return job;
}

LayerAnswer PlanFlags::layers(std::span<const Instance> instances) const {
  check_model();
  const std::vector<PlannedDevices> on = devices(instances);
  LayerWishes wishes{.what_if = what_if()};
  if (smallest_ratio_) {
    if (!(*smallest_ratio_ > 0) || *smallest_ratio_ > kMostSmallestRatio) {
      throw UsageError(fmt::format("--smallest-ratio {} is out of range: it takes more than 0 up to {}",
                                   *smallest_ratio_, kMostSmallestRatio));
    }
    wishes.smallest_ratio = *smallest_ratio_;
  }
  return answer_layers(layer_job(on), on, wishes);
}

GptAnswer PlanFlags::language_model(std::span<const Instance> instances) const {
  check_model();
  if (image_size_ || smallest_ratio_) {
    throw UsageError("--image-size and --smallest-ratio are for models that are split layer by layer");
  }
  const std::vector<PlannedDevices> on = devices(instances);
  const WhatIf changes = what_if();
  GptJob job{.size = parse_gpt_spec(*model_), .global_batch = batch()};
  for (const PlannedDevices& kind : on) job.kinds.push_back(nodes_of(kind, changes, on.size() > 1));
  job.dtype = dtype_ ? parse_dtype(*dtype_) : common_dtype(on);
  std::vector<std::string> assumptions;
  for (const PlannedDevices& kind : on) {
    if (!kind.named_by_machine) assumptions.push_back(fmt::format("{}: as in {}", kind.text(), kind.machine->name));
  }
  GptAnswer answer = answer_gpt(std::move(job), split_.search(), in_range(top_, kMostPlansShown, "--top"));
  answer.devices = text_of(on);
  answer.assumptions.insert(answer.assumptions.end(), assumptions.begin(), assumptions.end());
  return answer;
}

}  // namespace stash
