#include "stash/cli/flags/serve_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <span>

#include "stash/cli/flags/start_flags.h"
#include "stash/cli/own_files.h"
#include "stash/cli/progress.h"
#include "stash/core/error.h"
#include "stash/core/job_device.h"
#include "stash/core/units.h"
#include "stash/core/words.h"
#include "stash/launch/extension/extension.h"
#include "stash/launch/process/affinity.h"
#include "stash/models/models.h"

namespace stash {
namespace {

template <class Way>
Way way_named(std::string_view flag, std::string_view name, std::span<const std::string_view> names) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw_unknown(flag, name, names);
  return static_cast<Way>(found - names.begin());
}

std::string listed(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : "|") + std::string(name);
  return text;
}

BatchTimes parse_batch_times(const std::string& text) {
  std::vector<BatchTime> rows;
  for (const std::string& one : split_list(text)) {
    const std::size_t equals = std::min(one.find('='), one.size());
    BatchTime row{.batch = 0, .s = 0};
    const auto [end, error] = std::from_chars(one.data(), one.data() + equals, row.batch);
    if (error != std::errc() || end != one.data() + equals || equals == one.size()) {
      throw UsageError(fmt::format("--batch-times takes BATCH=TIME, like 1=7.4ms,8=11ms, not '{}'", one));
    }
    row.s = parse_duration_s(one.substr(equals + 1), "--batch-times");
    rows.push_back(row);
  }
  try {
    return BatchTimes(std::move(rows));
  } catch (const Error& error) {
    throw UsageError(fmt::format("--batch-times {}: {}", text, error.what()));
  }
}

}  // namespace

void ServeFlags::add_model_to(CLI::App& app, const std::string& model) {
  app.add_option("--model", models_, model)->type_name("MODEL");
  app.add_option("--dtype", dtype_, "Arithmetic of built-in networks")
      ->type_name("fp32|fp16|bf16")
      ->capture_default_str();
  app.add_option("--objective", objective_, "Latency to meet; a request that would be late is refused with status 503")
      ->type_name("TIME");
  app.add_option("--max-batch", most_batch_, "Most samples of a batch")->type_name("N")->capture_default_str();
  app.add_option("--batching", batching_,
                 "objective: a batch leaves when waiting longer would cost more than it brings at the current rate; "
                 "fixed: when it is full or --batch-timeout is over")
      ->type_name(listed(kBatchingWays))
      ->capture_default_str();
  app.add_option("--batch-timeout", timeout_, "With --batching fixed: how long the first request of a batch waits")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--batch-times", batch_times_,
                 "Times of batches that you know, in place of those of the GPU: 1=7.4ms,8=11ms,32=30ms; not with "
                 "--device cpu or cuda")
      ->type_name("LIST");
}

void ServeFlags::add_to(CLI::App& app) {
  add_model_to(app,
               "Model to serve: a built-in network (`stash models`); with --device cpu or cuda also a package of "
               "torch.export or AOTInductor (a.pt2), or a Python module (py:FILE:FUNCTION); emulated also sleep:TIME, "
               "which takes that for any batch. NAME=MODEL serves it under another name. Several may be given, except "
               "for a bench");
  app.add_option("--device", device_,
                 "cpu, cuda or cuda:N; emulated:GPU: models take the time of that GPU and compute nothing")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--input", input_,
                 "direct: the device reads each request where it was received; gather: requests are copied into the "
                 "memory of the batch first; pageable: with --device cuda, into memory that is not pinned")
      ->type_name(listed(kInputWays))
      ->capture_default_str();
  app.add_option("--completion", completion_,
                 "How the end of a batch is noticed: by an event; by a thread that blocks, asks every 50 µs (polling), "
                 "or asks all the time (spinning)")
      ->type_name(listed(kCompletionWays))
      ->capture_default_str();
  app.add_option("--batch-limit", batch_limit_,
                 "A model that works on a batch for longer is ended and started again; not when emulated")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--weights-seed", seed_, "Seed of the random weights of built-in networks")
      ->type_name("N")
      ->capture_default_str();
  app.add_option(
         "--launch", launch_,
         "With --device cuda. graphs: the work of each size of batch is recorded once and launched as one; eager: "
         "kernel by kernel")
      ->type_name(listed(kLaunchWays))
      ->capture_default_str();
  add_python(app, python_, "--device cpu and cuda use");
  app.add_option("--reload", reload_,
                 "What happens while a model is loaded again. swap: the old one serves; stop: requests wait")
      ->type_name(listed(kReloadWays))
      ->capture_default_str();
  app.add_option("--share", sharing_,
                 "How models share a GPU. need, also without a value: each has a part of it, as large as its rate and "
                 "objective need, adjusted every second; equal: equal parts; streams: with --device cuda, all at once "
                 "on all of "
                 "it; turns: one after the other; default: turns")
      ->type_name(listed(kSharingWays))
      ->expected(0, 1);
}

void ServeFlags::add_injection_to(CLI::App& app) {
  app.add_option("--inject", inject_, "Delays to add to every batch, to find them again: gather=2ms,notify=1ms")
      ->type_name("LIST");
}

ServeSettings ServeFlags::settings() const {
  ServeSettings settings;
  settings.input = way_named<InputWay>("--input", input_, kInputWays);
  settings.completion = way_named<CompletionWay>("--completion", completion_, kCompletionWays);
  settings.batching = way_named<BatchingWay>("--batching", batching_, kBatchingWays);
  settings.launch = way_named<LaunchWay>("--launch", launch_, kLaunchWays);
  settings.reload = way_named<ReloadWay>("--reload", reload_, kReloadWays);
  const bool is_bare = sharing_.empty() || sharing_ == "{}";
  settings.sharing = is_bare ? SharingWay::need : way_named<SharingWay>("--share", sharing_, kSharingWays);
  for (const std::string& one : split_list(inject_)) {
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string name = one.substr(0, equals);
    double* const delay_s = name == "gather"   ? &settings.slow_gather_s
                            : name == "notify" ? &settings.late_notice_s
                                               : nullptr;
    if (delay_s == nullptr || equals == one.size()) {
      throw UsageError(fmt::format("--inject takes gather=TIME and notify=TIME, not '{}'", one));
    }
    *delay_s = parse_duration_s(one.substr(equals + 1), "--inject");
    if (name == "gather" && settings.input != InputWay::gather) {
      throw UsageError("--inject gather=TIME needs --input gather: with direct input nothing is gathered");
    }
  }
  if (objective_) {
    settings.objective_s = parse_duration_s(*objective_, "--objective");
    if (!(*settings.objective_s > 0)) throw UsageError("--objective takes a time above 0, like 50ms");
  }
  if (most_batch_ < 1 || most_batch_ > kMostServedBatch) {
    throw UsageError(fmt::format("--max-batch takes 1 to {}, not {}", kMostServedBatch, most_batch_));
  }
  settings.most_batch = most_batch_;
  settings.batch_timeout_s = parse_duration_s(timeout_, "--batch-timeout");
  return settings;
}

bool ServeFlags::is_emulated() const {
  const JobDevice device(device_);
  if (!device.is_emulated() && !device.is_cpu() && !device.is_cuda() && !device_.starts_with("cuda:")) {
    throw UsageError(
        fmt::format("--device {} is not available for serving: it takes cpu, cuda, cuda:N or emulated:GPU, "
                    "like emulated:V100",
                    device_));
  }
  return device.is_emulated();
}

std::vector<ModelSource> ServeFlags::sources() const {
  if (models_.empty()) throw UsageError("say what to serve: --model resnet50");
  std::vector<ModelSource> sources;
  for (const std::string& text : models_) {
    sources.push_back(parse_model_source(text));
    const auto same = [&](const ModelSource& one) { return one.name == sources.back().name; };
    if (std::ranges::count_if(sources, same) == 1) continue;
    throw UsageError(fmt::format("two models are called {}: give one another name, like --model b={}",
                                 sources.back().name, sources.back().spec));
  }
  return sources;
}

std::vector<ServedModel> ServeFlags::models() const {
  if (settings().sharing == SharingWay::streams) {
    throw UsageError("--share streams needs --device cuda: an emulated device takes need, equal or turns");
  }
  if (settings().input == InputWay::pageable) {
    throw UsageError("--input pageable needs --device cuda: an emulated device takes direct or gather");
  }
  std::vector<ServedModel> made;
  const Gpu& gpu = find_gpu(JobDevice(device_).gpu());
  for (const ModelSource& source : sources()) {
    if (source.is_file()) {
      throw UsageError(
          fmt::format("--model {} needs a device that computes: add --device cpu or --device cuda", source.spec));
    }
    made.push_back(model_on(gpu, source));
  }
  return made;
}

std::unique_ptr<WorkerCrew> ServeFlags::begin_loading(std::size_t request_bytes) const {
  const std::vector<ModelSource> found = sources();
  parse_dtype(dtype_);
  const bool is_cpu = JobDevice(device_).is_cpu();
  const SharingWay sharing = settings().sharing;
  const bool uses_graphs = settings().launch == LaunchWay::graphs;
  if (is_cpu && sharing != SharingWay::turns) {
    throw UsageError("--share divides a GPU: leave it away with --device cpu, whose cores all models share");
  }
  if (is_cpu && settings().input == InputWay::pageable) {
    throw UsageError("--input pageable needs --device cuda: nothing is pinned for the CPU, so use --input gather");
  }
  if (!batch_times_.empty()) {
    throw UsageError(fmt::format("--batch-times is for emulated devices: with --device {} they are measured", device_));
  }
  for (const ModelSource& source : found) {
    if (source.is_sleeper()) {
      throw UsageError(fmt::format("--model {} is for emulated devices: leave --device away", source.spec));
    }
    if (!source.is_file()) make_model(source.spec);  // UsageError names the nearest
  }
  const double limit_s = parse_duration_s(batch_limit_, "--batch-limit");
  if (!(limit_s > 0)) throw UsageError("--batch-limit takes a time above 0, like 30s");
  StatusLine setup;
  const ExtensionInfo extension = ensure_extension(
      chosen_python(python_), root_folder(), [&](std::string_view line, bool passing) { setup.tell(line, passing); });
  const WorkerSettings settings{.interpreter = {.python = chosen_python(python_),
                                                .extension_folder = extension.folder,
                                                .package_folder = root_folder() / "python"},
                                .device = device_,
                                .dtype = dtype_,
                                .seed = seed_,
                                .most_batch = most_batch_,
                                .threads = static_cast<int>(std::max<std::size_t>(1, allowed_cores().size())),
                                .uses_graphs = uses_graphs,
                                .works_at_once = sharing != SharingWay::turns,
                                .divides_device = sharing == SharingWay::need || sharing == SharingWay::equal,
                                .batch_limit_s = limit_s};
  return std::make_unique<WorkerCrew>(found, settings, request_bytes);
}

ModelSource ServeFlags::only_source() const {
  if (models_.size() != 1) throw UsageError("this takes one model at a time: give one --model, like --model resnet50");
  return parse_model_source(models_.front());
}

ServedModel ServeFlags::model_on(const Gpu& gpu, const ModelSource& source) const {
  ServedModel model = make_served_model(source, gpu, parse_dtype(dtype_), most_batch_);
  if (batch_times_.empty()) return model;
  model.times = parse_batch_times(batch_times_);
  model.platform = model.name + " with the batch times given";
  return model;
}

}  // namespace stash
