#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "stash/battery/profile_series.h"
#include "stash/cli/exit_codes.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/flags/job_flags.h"
#include "stash/cli/flags/predict_flags.h"
#include "stash/cli/flags/start_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/progress.h"
#include "stash/cli/run_progress.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/core/words.h"
#include "stash/launch/machine_info.h"
#include "stash/launch/process/affinity.h"
#include "stash/report/html/study_page.h"
#include "stash/report/printable.h"
#include "stash/report/study.h"
#include "stash/report/terminal.h"
#include "stash/study/study_set.h"

namespace stash {
namespace {

constexpr int kBatch = 32;  // with which all models of both studies fit into 16 GB
constexpr const char* kHostLink = "host";
constexpr const char* kEmulatedLink = "2Gbit/s";  // several times as slow as a loopback, so that this one hardly shows
constexpr int kFewestRanks = 2;                   // one GPU alone has nobody to talk to; two ranks share it

class StudyVerb final : public Verb {
 public:
  std::string name() const override { return "study"; }
  std::string description() const override { return "Fit how layers or gradients drive the communication stall"; }

  void add_flags(CLI::App& app) override {
    app.require_subcommand(1);
    app.footer(
        "Examples:\n"
        "  stash study layers                                     on this machine; resumes where it stopped\n"
        "  stash study gradients --device emulated:V100 --inject link=4Gbit/s\n"
        "  stash study layers --from stash-study-layers --format csv\n");
    layers_ = app.add_subcommand("layers", "Vary the depth: ResNet 10 to 152, with and without batch norm, shortcuts");
    gradients_ = app.add_subcommand("gradients", "Vary the size: VGG 11 to 19 in several widths");
    for (CLI::App* study : {layers_, gradients_}) add_flags_of_study(*study);
  }

  int run() override {
    format_.check();
    check_out();
    const StudySet set = chosen_set();
    ProfileSeries series;
    if (from_.empty()) {
      series = measure(set);
      if (!series.stopped_before.empty()) return kExitInterrupted;
    } else {
      series = read_profiles(from_, [](const std::string& what, const std::string& why) {
        StatusLine().say(printable(fmt::format("{} is not used: {}", what, why)));
      });
    }
    std::vector<StudyFailure> failures;
    for (const auto& [what, why] : series.failures) failures.push_back({what, why});
    print_or_write(render(study_communication(series.profiles, set.held_out, std::move(failures))), "");
    return 0;
  }

 private:
  void add_flags_of_study(CLI::App& app) {
    app.add_option("--models", models_, "Models to fit, at least 6; default: a built-in list")->type_name("LIST");
    app.add_option("--held-out", held_out_, "Models to predict without fitting them; default: a built-in list")
        ->type_name("LIST");
    app.add_option("--from", from_, "Fit these profiles or folders of profiles, without measuring")->type_name("PATH");
    app.add_option("--out", out_,
                   "Folder of the profiles; finished ones are not run again; default: stash-study-layers or -gradients")
        ->type_name("DIR");
    flags_.add_to(app, {"device", "ranks", "batch", "image-size", "dtype", "backend", "bucket", "precision", "max-time",
                        "inject"});
    app.get_option("--ranks")->description("Processes on this machine, at least 2; default: one per GPU");
    app.get_option("--batch")->description("Samples per rank and step")->default_str(std::to_string(kBatch));
    app.get_option("--precision")
        ->description("A model ends when the 95 % interval of every part is within ± this share of the step");
    app.get_option("--max-time")
        ->description("Time limit of the whole study, divided among the models that are not finished yet");
    app.add_option("--link", link_,
                   "Rate of the link between emulated GPUs; host: the unmodified loopback of this host")
        ->type_name("RATE")
        ->default_str(kEmulatedLink);
    format_.add_to(app);
    start_.add_to(app);
  }

  void check_out() const {
    if (from_.empty() || out_.empty()) return;
    throw UsageError(
        "--out is the folder of the profiles that a study makes, and --from makes none: leave it out, the "
        "page goes to standard output");
  }

  StudySet chosen_set() const {
    StudySet set = layers_->parsed() ? layers_study() : gradients_study();
    if (!held_out_.empty()) set.held_out = split_list(held_out_);
    const auto is_held_out = [&](const std::string& model) {
      return std::ranges::find(set.held_out, model) != set.held_out.end();
    };
    if (models_.empty()) {
      std::erase_if(set.fitted, is_held_out);
      return set;
    }
    set.fitted = split_list(models_);
    const auto both = std::ranges::find_if(set.fitted, is_held_out);
    if (both == set.fitted.end()) return set;
    throw UsageError(fmt::format("{} is both in --models and held out: leave it out of one", *both));
  }

  ProfileSeries measure(const StudySet& set) const {
    start_.check();
    if (start_.launched()) {
      throw UsageError(
          "a study starts its own ranks on one machine: under a launcher, `stash profile` each model and give the "
          "profiles with --from; or use --local");
    }
    const int gpus = count_gpus(), cores = static_cast<int>(allowed_cores().size());
    std::vector<Job> jobs;
    for (const auto* models : {&set.fitted, &set.held_out}) {
      for (const std::string& model : *models) jobs.push_back(job_of(model, gpus, cores));
    }
    say_longest(jobs.size());
    const std::string fallback = layers_->parsed() ? "stash-study-layers" : "stash-study-gradients";
    return measure(jobs, out_.empty() ? fallback : out_);
  }

  ProfileSeries measure(const std::vector<Job>& jobs, const std::string& folder) const {
    make_series_folder(folder);
    CrewOptions options = start_.resolve();  // before Ctrl-C is taken over: a build can be ended by it
    std::optional<RunProgress> progress;
    options.on_tick = [&](const Collector& collector) { progress->show(collector); };
    const auto on_job = [&](std::size_t number, const Job& job) {
      progress.reset();
      StatusLine().say(
          fmt::format("{} of {}: {}, about {}", number, jobs.size(), job.model, format_duration(job.max_time_s)));
      progress.emplace();
    };
    const auto on_failure = [&](const std::string& model, const std::string& why) {
      StatusLine().say(fmt::format("{} has no profile: {}", model, why));
    };
    ProfileSeries series = measure_series(jobs, folder, options, max_time_s(),
                                          {.on_job = on_job, .on_failure = on_failure, .on_data = DataProgress()});
    progress.reset();
    if (!series.stopped_before.empty()) {
      StatusLine().say(fmt::format("stopped; the same command resumes with {}", series.stopped_before));
    }
    return series;
  }

  void say_longest(std::size_t models) const {
    const double limit_s = max_time_s();
    StatusLine().say(fmt::format("{} models within {} (--max-time): about {} for each, finished ones take none", models,
                                 format_duration(limit_s), format_duration(fair_share_s(limit_s, models))));
  }

  double max_time_s() const { return parse_duration_s(flags_.max_time, "--max-time"); }

  Job job_of(const std::string& model, int gpus, int cores) const {
    JobFlags flags = flags_;
    flags.model = model;
    flags.batch = flags.batch.value_or(kBatch);
    flags.ranks = flags.ranks.value_or(std::max(kFewestRanks, gpus));
    Job job = flags.resolve(gpus, cores, std::nullopt);
    emulate_link(job);
    return job;
  }

  // Between emulated GPUs there is no link but the host's memory, whose speed is that of its caches and neighbours.
  void emulate_link(Job& job) const {
    if (!job.device.is_emulated()) {
      if (link_) throw UsageError("--link applies to emulated GPUs only; --inject link=RATE makes a real link slower");
      return;
    }
    if (job.inject.link_bytes_per_s || link_ == kHostLink) return;
    const double bytes_per_s = parse_bytes_per_s(link_.value_or(kEmulatedLink), "--link");
    if (!(bytes_per_s > 0)) throw UsageError("--link takes a rate above 0, like 1Gbit/s, or host");
    job.inject.link_bytes_per_s = bytes_per_s;
  }

  std::string render(const CommunicationStudy& study) const {
    switch (format_.get()) {
      case Format::html:
        return render_study_html(study);
      case Format::json:
        return render_study_json(study);
      case Format::csv:
        return render_study_csv(study);
      default:
        return render_study_text(study, options_for_stdout());
    }
  }

  CLI::App* layers_ = nullptr;
  CLI::App* gradients_ = nullptr;
  JobFlags flags_ = [] {
    JobFlags flags;
    flags.conditions = "apart,node";
    flags.precision = "1%";
    flags.max_time = "5m";
    return flags;
  }();
  StartFlags start_;
  std::string models_, held_out_, out_;
  std::optional<std::string> link_;
  std::vector<std::string> from_;
  FormatFlag format_ = page_format();
};

}  // namespace

std::unique_ptr<Verb> make_study_verb() { return std::make_unique<StudyVerb>(); }

}  // namespace stash
