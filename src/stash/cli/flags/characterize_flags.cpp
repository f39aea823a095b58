#include "stash/cli/flags/characterize_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "stash/battery/epoch.h"
#include "stash/catalog/gpu.h"
#include "stash/catalog/gpu_model.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/job_memory.h"
#include "stash/catalog/loader.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/cli/flags/predict_flags.h"
#include "stash/cli/output.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/launch/machine_info.h"
#include "stash/models/job_graph.h"
#include "stash/models/models.h"

namespace stash {
namespace {

// 23 cases in less than ten minutes on two cores.
constexpr const char* kCaseTime = "18s";
constexpr const char* kPrecision = "5%";
constexpr std::size_t kLargestJobFile = 1 << 20;

// What makes other cases, or measures them otherwise.
constexpr std::array kCaseFlags{"--models",   "--batches", "--ranks",     "--nodes",     "--device", "--dtype",
                                "--backend",  "--bucket",  "--data",      "--workers",   "--inject", "--seed",
                                "--prefetch", "--loader",  "--precision", "--conditions"};

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

std::optional<LaunchedProcess> process_of(const std::optional<LaunchedBattery>& launched) {
  return launched ? std::optional(launched->process) : std::nullopt;
}

std::string why_not(const Case& one, bool launched) {
  if (one.nodes > one.job.ranks) {
    return fmt::format("{} nodes need as many ranks, and there are {}", one.nodes, one.job.ranks);
  }
  if (one.nodes > 1 && one.job.device.is_cuda() && !launched) {
    return "GPUs of one machine cannot stand for several nodes: start stash characterize under a launcher";
  }
  std::vector<GpuInfo> gpus;
  for (const std::string& name : gpu_models()) gpus.push_back({name, {}});
  const Gpu* const gpu = gpu_of(one.job.device, gpus);
  if (gpu == nullptr) return "";
  return gpu_misfit(one.job, graph_of(one.job), gpu->name, static_cast<double>(gpu->memory_bytes));
}

}  // namespace

void CharacterizeFlags::add_to(CLI::App& app) {
  app_ = &app;
  app.add_option("job", job_file_, "JSON file whose keys are names of these flags")->type_name("FILE");
  app.add_option("--models", models_, "Models to train: names, or small, large or all for those of the Stash study")
      ->type_name("LIST")
      ->capture_default_str();
  app.add_option("--batches", batches_,
                 fmt::format("Samples per rank and step; default: {} images or {} sequences",
                             fmt::join(default_batches(InputKind::images), ","),
                             fmt::join(default_batches(InputKind::tokens), ",")))
      ->type_name("LIST");
  app.add_option("--ranks", ranks_,
                 "Processes on this machine, unless a launcher starts them; default: one per GPU, or 2 without a GPU")
      ->type_name("LIST");
  app.add_option("--nodes", nodes_, "Number of emulated nodes, without a launcher")
      ->type_name("LIST")
      ->capture_default_str();
  job_.precision = kPrecision;
  job_.max_time = kCaseTime;
  job_.add_to(app, {"device", "dtype", "backend", "bucket", "data", "workers", "prefetch", "loader", "conditions",
                    "inject", "seed", "precision"});
  app.get_option("--precision")
      ->description("A case ends when the 95 % interval of every part is within ± this share of the step");
  app.add_option("--case-time", job_.max_time, "Time limit per case; two rounds are always measured")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--max-time", max_time_, "Time limit of this call; unfinished cases are kept for the next run")
      ->type_name("TIME");
  app.add_option("--max-cost", max_cost_,
                 "Cost limit of all calls in this folder together; needs --usd-per-hour or --instance")
      ->type_name("USD");
  price_.add_to(app, "Price of this machine; under a launcher, of each");
  app.add_option("--instance", instance_, "Name of this machine in the catalogue: gives its price and links")
      ->type_name("NAME");
  app.add_option("--samples", epoch_samples_,
                 fmt::format("Samples per epoch; default: those of --data, else ImageNet's {} or SQuAD's {}",
                             format_count(static_cast<std::int64_t>(kImageNetImages)),
                             format_count(static_cast<std::int64_t>(kSquadQuestions))))
      ->type_name("N");
  app.add_option("--epoch-samples", epoch_samples_)->group("");  // its old name
  app.add_option("--storage", storage, "Folder whose storage is timed; default: --out")->type_name("DIR");
  app.add_flag("--retry", retry_, "Run failed cases again");
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
  usd_per_h_ = price_.get();
  check_positive(epoch_samples_, "--samples", "1281167");
  if (!instance_.empty()) {
    const Catalogue catalogue = read_catalogue();
    tell_warnings(catalogue.warnings);
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

Case CharacterizeFlags::make_case(const Combination& combination, int gpus, int cores,
                                  const std::optional<LaunchedBattery>& launched) const {
  JobFlags flags = job_;
  flags.model = combination.model;
  flags.batch = combination.batch;
  flags.ranks = combination.ranks;
  if (make_model(combination.model).input != InputKind::images) flags.loader = kOwnLoader;  // others load images only
  if (!flags.data.empty()) flags.data = std::filesystem::absolute(flags.data).string();  // as the profile will have it
  Case one{
      .name = {}, .job = flags.resolve(gpus, cores, process_of(launched)), .nodes = combination.nodes, .why_not = {}};
  one.name = case_name(one.job, one.nodes);
  one.why_not = why_not(one, launched.has_value());
  return one;
}

void CharacterizeFlags::set_case_time(std::vector<Case>& cases) const {
  if (app_->get_option("--case-time")->count() == 0) return;
  for (Case& one : cases) one.job.max_time_s = parse_duration_s(job_.max_time, "--case-time");
}

Caps CharacterizeFlags::caps(const std::optional<LaunchedBattery>& launched) const {
  Caps caps = caps_;
  if (launched && caps.usd_per_h) *caps.usd_per_h *= launched->machines;
  return caps;
}

Battery CharacterizeFlags::settings(const std::optional<LaunchedBattery>& launched) const {
  Battery battery{.cases = {},
                  .machines = {},
                  .usd_per_h = caps(launched).usd_per_h,
                  .epoch_samples = epoch_samples_,
                  .instance = instance_};
  if (launched) battery.machines = launched->machines;
  return battery;
}

Axes CharacterizeFlags::axes(int gpus, int cores, const std::optional<LaunchedBattery>& launched) const {
  Axes axes;
  axes.models = parse_models(models_);
  if (!batches_.empty()) axes.batches = parse_counts(batches_, "--batches");
  if (!ranks_.empty()) axes.ranks = parse_counts(ranks_, "--ranks");
  axes.nodes = parse_counts(nodes_, "--nodes");
  if (!launched) {
    if (ranks_.empty()) axes.ranks = {job_.resolve(gpus, cores, std::nullopt).ranks};
    return axes;
  }
  if (app_->get_option("--nodes")->count() > 0) {
    throw UsageError(fmt::format("--nodes emulates nodes on one machine, and {} started processes on {}: leave it out",
                                 launched->process.launcher, launched->machines));
  }
  if (ranks_.empty()) {
    // As --ranks counts them: those of each machine where the launcher starts nodes.
    const int all = job_.resolve(gpus, cores, launched->process).ranks;
    axes.ranks = {launched->process.starts_nodes ? all / launched->process.size : all};
  }
  axes.nodes = {launched->machines};
  return axes;
}

Battery CharacterizeFlags::battery(int gpus, int cores, const std::optional<LaunchedBattery>& launched) const {
  Battery battery = settings(launched);
  for (const Combination& combination : ordered_combinations(axes(gpus, cores, launched))) {
    battery.cases.push_back(make_case(combination, gpus, cores, launched));
  }
  return battery;
}

}  // namespace stash
