#include "stash/cli/characterize_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "stash/catalog/gpu.h"
#include "stash/catalog/gpu_model.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/cli/predict_flags.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/launch/machine_info.h"

namespace stash {
namespace {

// 23 cases in less than ten minutes on two cores.
constexpr const char* kCaseTime = "18s";
constexpr const char* kPrecision = "5%";
constexpr std::size_t kLargestJobFile = 1 << 20;

// What makes other cases, or measures them otherwise.
constexpr std::array kCaseFlags{"--models", "--batches", "--ranks",    "--nodes",     "--device",
                                "--dtype",  "--backend", "--bucket",   "--data",      "--workers",
                                "--inject", "--seed",    "--prefetch", "--precision", "--conditions"};

void check_positive(const std::optional<double>& value, std::string_view flag, std::string_view example) {
  if (value && !(std::isfinite(*value) && *value > 0)) {
    throw UsageError(fmt::format("{} takes a number above 0, like {}", flag, example));
  }
}

// "a,b" of ["a", "b"].
std::string text_of(const nlohmann::json& value, const std::string& key) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  if (!value.is_array()) throw UsageError(fmt::format("'{}' in the job file takes a text, a number or a list", key));
  std::string list;
  for (const auto& element : value) {
    if (element.is_array()) throw UsageError(fmt::format("'{}' in the job file is a list of lists", key));
    list += (list.empty() ? "" : ",") + text_of(element, key);
  }
  return list;
}

// nullptr: none, or none that the catalogue knows.
const Gpu* gpu_of(const Job& job) {
  if (job.device.starts_with(kEmulatedPrefix)) return &find_gpu(job.device.substr(kEmulatedPrefix.size()));
  const std::vector<std::string> models = gpu_models();
  if (job.device != "cuda" || models.empty()) return nullptr;
  const auto table = gpu_table();
  const auto known = std::ranges::find(table, catalogued_gpu_name(models.front()), &Gpu::name);
  return known == table.end() ? nullptr : &*known;
}

std::string why_not(const Case& one) {
  if (one.nodes > one.job.ranks) {
    return fmt::format("{} nodes need as many ranks, and there are {}", one.nodes, one.job.ranks);
  }
  if (one.nodes > 1 && one.job.device == "cuda") {
    return "GPUs of one machine cannot stand for several nodes: use stash profile under a launcher";
  }
  const Gpu* const gpu = gpu_of(one.job);
  if (gpu == nullptr) return "";
  return gpu_misfit(one.job, graph_of(one.job), gpu->name, static_cast<double>(gpu->memory_bytes));
}

}  // namespace

void CharacterizeFlags::add_to(CLI::App& app) {
  app_ = &app;
  app.add_option("job", job_file_, "A JSON file with these flags' names as keys")->type_name("FILE");
  app.add_option("--models", models_, "What is trained: names, or small, large, all for those of the Stash study")
      ->type_name("LIST")
      ->capture_default_str();
  app.add_option("--batches", batches_, "Samples per rank and step; default: 32,64,128 images or 4,8 sequences")
      ->type_name("LIST");
  app.add_option("--ranks", ranks_, "Processes; default: one for each GPU, without one 2")->type_name("LIST");
  app.add_option("--nodes", nodes_, "So many nodes, emulated on this machine")
      ->type_name("LIST")
      ->capture_default_str();
  app.add_option("--device", job_.device, "cpu, cuda, or emulated:<gpu>; default: cuda, without a GPU emulated:V100")
      ->type_name("NAME");
  app.add_option("--dtype", job_.dtype, "Precision of the arithmetic")
      ->type_name("fp32|bf16|fp16")
      ->capture_default_str();
  app.add_option("--backend", job_.backend, "gloo, nccl, or another that torch has")->type_name("NAME");
  app.add_option("--bucket", job_.bucket, "Size of a gradient bucket")->type_name("BYTES")->capture_default_str();
  app.add_option("--data", job_.data, "Folder of JPEG files or token file; default: small ones are made")
      ->type_name("PATH");
  app.add_option("--workers", job_.workers, "Input threads per rank; default: the rank's cores less one")
      ->type_name("N");
  app.add_option("--prefetch", job_.prefetch, "Batches that may be ready ahead")->type_name("N")->capture_default_str();
  app.add_option("--conditions", job_.conditions, "Part of the chain solo,apart,node,joined,staged,hot,cold")
      ->type_name("LIST");
  app.add_option("--inject", job_.inject, "Stalls on purpose, as in stash profile")->type_name("LIST");
  app.add_option("--seed", job_.seed, "Of weights, shuffles and the order of windows")
      ->type_name("N")
      ->capture_default_str();
  job_.precision = kPrecision;
  app.add_option("--precision", job_.precision, "A case ends when every part is known to this share of the step")
      ->type_name("RATIO")
      ->capture_default_str();
  job_.max_time = kCaseTime;
  app.add_option("--case-time", job_.max_time, "A case ends after this time, and two rounds")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--max-time", max_time_, "End after this time in any case; what is left is left for next time")
      ->type_name("TIME");
  app.add_option("--max-cost", max_cost_, "The same for what all calls in the folder cost; needs --usd-per-hour")
      ->type_name("USD");
  app.add_option("--usd-per-hour", usd_per_h_, "Price of this machine")->type_name("USD");
  app.add_option("--instance", instance_, "The machine of the catalogue that this is: its price and its links")
      ->type_name("NAME");
  app.add_option("--epoch-samples", epoch_samples_,
                 "Of an epoch; default: those of --data, else ImageNet's 1,281,167 or SQuAD's 87,599")
      ->type_name("N");
  app.add_option("--storage", storage, "The folder whose storage is timed; default: --out")->type_name("DIR");
  app.add_flag("--retry", retry_, "Try cases that failed before again");
}

void CharacterizeFlags::read_job_file() {
  const nlohmann::json json = parse_json(read_file(job_file_, kLargestJobFile), "the job file");
  if (!json.is_object()) throw UsageError(fmt::format("the job file '{}' must hold one JSON object", job_file_));
  for (const auto& [key, value] : json.items()) {
    CLI::Option* const option = key == "job" ? nullptr : app_->get_option_no_throw("--" + key);
    if (option == nullptr || option->get_lnames().empty()) {
      std::vector<std::string> names;
      for (const CLI::Option* known : app_->get_options()) {
        for (const std::string& name : known->get_lnames()) names.push_back(name);
      }
      const std::vector<std::string_view> views(names.begin(), names.end());
      throw_unknown(fmt::format("key of the job file '{}'", job_file_), key, views);
    }
    if (option->count() > 0) continue;
    try {
      option->add_result(text_of(value, key));
      option->run_callback();
    } catch (const CLI::ParseError& error) {
      throw UsageError(fmt::format("the job file '{}': {}", job_file_, error.what()));
    }
  }
}

void CharacterizeFlags::resolve() {
  if (!job_file_.empty()) read_job_file();
  check_positive(usd_per_h_, "--usd-per-hour", "24.48");
  check_positive(epoch_samples_, "--epoch-samples", "1281167");
  if (!instance_.empty()) {
    const Catalogue catalogue = read_catalogue();
    const Instance& instance = find_instance(catalogue.instances, instance_);
    instance_ = instance.name;
    if (!usd_per_h_) usd_per_h_ = instance.usd_per_h;
  }
  if (!max_time_.empty()) caps_.max_time_s = parse_duration_s(max_time_, "--max-time");
  if (!max_cost_.empty()) caps_.max_usd = parse_usd(max_cost_, "--max-cost");
  caps_.usd_per_h = usd_per_h_;
  if (caps_.max_usd && !caps_.usd_per_h) {
    throw UsageError("--max-cost needs a price: give --usd-per-hour, or --instance with one in the catalogue");
  }
}

bool CharacterizeFlags::says_nothing_of_cases() const {
  return job_file_.empty() &&
         std::ranges::none_of(kCaseFlags, [&](const char* flag) { return app_->get_option(flag)->count() > 0; });
}

Case CharacterizeFlags::make_case(const Combination& combination, int gpus, int cores) const {
  JobFlags flags = job_;
  flags.model = combination.model;
  flags.batch = combination.batch;
  flags.ranks = combination.ranks;
  if (!flags.data.empty()) flags.data = std::filesystem::absolute(flags.data).string();  // as the profile will have it
  Case one{.name = {}, .job = flags.resolve(gpus, cores, std::nullopt), .nodes = combination.nodes, .why_not = {}};
  one.name = case_name(one.job, one.nodes);
  one.why_not = why_not(one);
  return one;
}

void CharacterizeFlags::set_case_time(std::vector<Case>& cases) const {
  if (app_->get_option("--case-time")->count() == 0) return;
  for (Case& one : cases) one.job.max_time_s = parse_duration_s(job_.max_time, "--case-time");
}

Battery CharacterizeFlags::settings() const {
  return {.cases = {}, .usd_per_h = usd_per_h_, .epoch_samples = epoch_samples_, .instance = instance_};
}

Battery CharacterizeFlags::battery(int gpus, int cores) const {
  Axes axes;
  axes.models = parse_models(models_);
  if (!batches_.empty()) axes.batches = parse_counts(batches_, "--batches");
  axes.ranks =
      ranks_.empty() ? std::vector{job_.resolve(gpus, cores, std::nullopt).ranks} : parse_counts(ranks_, "--ranks");
  axes.nodes = parse_counts(nodes_, "--nodes");
  Battery battery = settings();
  for (const Combination& combination : ordered_combinations(axes)) {
    battery.cases.push_back(make_case(combination, gpus, cores));
  }
  return battery;
}

}  // namespace stash
