#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "stash/cli/job_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/predict_flags.h"
#include "stash/cli/profile_series.h"
#include "stash/cli/progress.h"
#include "stash/cli/start_flags.h"
#include "stash/cli/verb.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/launch/affinity.h"
#include "stash/launch/machine_info.h"
#include "stash/report/html/study_page.h"
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
        "  stash study layers                                     on what is there; goes on where it was stopped\n"
        "  stash study gradients --device emulated:V100 --inject link=4Gbit/s\n"
        "  stash study layers --from stash-study-layers --format csv\n");
    layers_ = app.add_subcommand("layers", "Vary the depth: ResNet 10 to 152, with and without batch norm, shortcuts");
    gradients_ = app.add_subcommand("gradients", "Vary the size: VGG 11 to 19 in several widths");
    for (CLI::App* study : {layers_, gradients_}) add_flags_of_study(*study);
  }

  int run() override {
    check_page_format(format_);
    check_out();
    const StudySet set = chosen_set();
    ProfileSeries series;
    if (from_.empty()) {
      series = measure(set);
      if (series.interrupted) return kExitInterrupted;
    } else {
      series = read_profiles(from_);
    }
    CommunicationStudy study = study_communication(series.profiles, set.held_out);
    for (const auto& [what, why] : series.failures) study.failures.push_back({what, why});
    print_or_write(render(study), "");
    return 0;
  }

 private:
  void add_flags_of_study(CLI::App& app) {
    app.add_option("--models", models_, "What is fitted, instead of the usual models")->type_name("LIST");
    app.add_option("--held-out", held_out_, "What is predicted and not fitted, instead of the usual models")
        ->type_name("LIST");
    app.add_option("--from", from_, "Fit these profiles, or all of a folder, and measure nothing")->type_name("PATH");
    app.add_option("--out", out_, "Folder of the profiles; finished ones are not run again [stash-study-layers, ...]")
        ->type_name("DIR");
    app.add_option("--device", flags_.device, "cuda, cpu or emulated:<gpu>; default: cuda, without one emulated:V100")
        ->type_name("NAME");
    app.add_option("--ranks", flags_.ranks, "Processes on this machine; default: one for each GPU, at least 2")
        ->type_name("N");
    app.add_option("--batch", flags_.batch, "Samples per rank and step")->type_name("N")->default_str("32");
    app.add_option("--image-size", flags_.image_size, "Pixels of an image's side")->type_name("N");
    app.add_option("--dtype", flags_.dtype, "Precision of the arithmetic")
        ->type_name("fp32|bf16|fp16")
        ->capture_default_str();
    app.add_option("--backend", flags_.backend, "gloo, nccl, or another that torch has")->type_name("NAME");
    app.add_option("--bucket", flags_.bucket, "Size of a gradient bucket")->type_name("BYTES")->capture_default_str();
    app.add_option("--precision", flags_.precision, "Stop a model when every part is known to this share of the step")
        ->type_name("RATIO")
        ->default_str("1%");
    app.add_option("--max-time", flags_.max_time,
                   "Stop each model after this time; all of them together have no bound but this times their number")
        ->type_name("TIME")
        ->default_str("20s");
    app.add_option("--inject", flags_.inject, "Stalls on purpose, as in profile: link=4Gbit/s")->type_name("LIST");
    app.add_option("--link", link_, "Rate of the link between emulated GPUs; host: the loopback of this host as it is")
        ->type_name("RATE")
        ->default_str(kEmulatedLink);
    add_page_format(app, format_);
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
    if (start_.placement()) {
      throw UsageError(
          "a study starts its own ranks on one machine: under a launcher, `stash profile` each model and give the "
          "profiles with --from; or use --local");
    }
    const int gpus = count_gpus(), cores = static_cast<int>(allowed_cores().size());
    std::vector<Job> jobs;
    for (const auto* models : {&set.fitted, &set.held_out}) {
      for (const std::string& model : *models) jobs.push_back(job_of(model, gpus, cores));
    }
    say_longest(jobs);
    const std::string usual = layers_->parsed() ? "stash-study-layers" : "stash-study-gradients";
    return measure_series(jobs, out_.empty() ? usual : out_, start_);
  }

  static void say_longest(const std::vector<Job>& jobs) {
    if (jobs.empty()) return;
    const double each_s = jobs.front().max_time_s;
    StatusLine().say(fmt::format("{} models of up to {} each (--max-time): up to {} in all; finished ones take none",
                                 jobs.size(), format_duration(each_s),
                                 format_duration(each_s * static_cast<double>(jobs.size()))));
  }

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
    if (!job.device.starts_with(kEmulatedPrefix)) {
      if (link_) throw UsageError("--link is of emulated GPUs: --inject link=RATE makes a real link slower");
      return;
    }
    if (job.inject.link_bytes_per_s || link_ == kHostLink) return;
    const double bytes_per_s = parse_bytes_per_s(link_.value_or(kEmulatedLink), "--link");
    if (!(bytes_per_s > 0)) throw UsageError("--link takes a rate above 0, like 1Gbit/s, or host");
    job.inject.link_bytes_per_s = bytes_per_s;
  }

  std::string render(const CommunicationStudy& study) const {
    if (format_ == "html") return render_study_html(study);
    if (format_ == "json") return render_study_json(study);
    if (format_ == "csv") return render_study_csv(study);
    return render_study_text(study, options_for_stdout());
  }

  CLI::App* layers_ = nullptr;
  CLI::App* gradients_ = nullptr;
  JobFlags flags_ = [] {
    JobFlags flags;
    flags.conditions = "apart,node";
    flags.precision = "1%";
    flags.max_time = "20s";
    return flags;
  }();
  StartFlags start_;
  std::string models_, held_out_, out_;
  std::optional<std::string> link_;
  std::vector<std::string> from_;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Verb> make_study_verb() { return std::make_unique<StudyVerb>(); }

}  // namespace stash
