#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>

#include "stash/cli/output.h"
#include "stash/cli/verbs/share_verbs.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/report/day_report.h"
#include "stash/report/terminal.h"
#include "stash/share/curve_of_profile.h"
#include "stash/share/day.h"
#include "stash/share/jobs_file.h"
#include "stash/share/published_curves.h"

namespace stash {
namespace {

constexpr int kMostDays = 1000;
constexpr std::array kDayFormats{Format::text, Format::json};

class ShareSimulateVerb final : public Verb {
 public:
  std::string name() const override { return "simulate"; }
  std::string description() const override { return "Simulate days of arriving and ending jobs under four policies"; }

  void add_flags(CLI::App& app) override {
    app.add_option("--jobs", jobs_, "File of jobs (TOML) with their curve or profile, arrival and samples")
        ->type_name("FILE");
    app.add_option("--mix", mix_, "Without --jobs: kinds of published curves to draw jobs from")
        ->type_name("LIST")
        ->capture_default_str();
    app.add_option("--count", count_, "Without --jobs: jobs of a day")->type_name("N")->capture_default_str();
    app.add_option("--load", load_, "Without --jobs: work that arrives, as a multiple of what an even split does")
        ->type_name("RATIO")
        ->capture_default_str();
    app.add_option("--days", days_, "Without --jobs: days to draw")->type_name("N")->capture_default_str();
    app.add_option("--seed", seed_, "Random seed for the days")->type_name("N")->capture_default_str();
    app.add_option("--gpus", gpus_, "GPUs of the machine: jobs that run at a time; default: 8")->type_name("N");
    app.add_option("--cores", cores_, "Cores for loader workers; default: 3 per GPU")->type_name("N");
    format_.add_to(app);
    app.footer(
        "Examples:\n"
        "  stash share simulate --mix vision,speech,language --days 20\n"
        "  stash share simulate --jobs day.toml --gpus 4 --cores 32\n");
  }

  int run() override {
    const Format format = format_.get();
    if (days_ < 1 || days_ > kMostDays) {
      throw UsageError(fmt::format("--days {} is out of range: it takes 1 to {}", days_, kMostDays));
    }
    const DayReport report = jobs_.empty() ? drawn_days() : given_day();
    print_or_write(format == Format::json ? render_days_json(report) : render_days_text(report, options_for_stdout()),
                   "");
    return 0;
  }

 private:
  DayMachine machine(const JobsFile& file) const {
    const int gpus = gpus_.value_or(file.gpus.value_or(8));
    return {.gpus = gpus, .resources = {.cores = cores_.value_or(file.cores.value_or(3 * gpus))}};
  }

  DayReport drawn_days() const {
    DayReport report{.days = days_, .jobs = count_, .machine = machine({}), .made_of = {}, .policies = {}};
    report.made_of = fmt::format("drawn from the published curves of {}, load {:g}, seed {}", mix_, load_, seed_);
    DayPlan plan{.kinds = curves_of_kinds(mix_), .jobs = count_, .load = load_, .seed = seed_};
    std::vector<std::vector<PolicyDay>> days;
    for (int day = 0; day < days_; ++day) {
      days.push_back(simulate_day(draw_day(plan, report.machine), report.machine));
      ++plan.seed;
    }
    report.policies = summarize(days);
    return report;
  }

  DayReport given_day() const {
    const JobsFile file = read_jobs(jobs_);
    DayReport report{.days = 1,
                     .jobs = static_cast<int>(file.jobs.size()),
                     .machine = machine(file),
                     .made_of = jobs_,
                     .policies = {}};
    std::vector<DayJob> jobs;
    for (const JobEntry& entry : file.jobs) jobs.push_back(job_of(entry, report.machine));
    const std::vector<std::vector<PolicyDay>> days{simulate_day(jobs, report.machine)};
    report.policies = summarize(days);
    return report;
  }

  DayJob job_of(const JobEntry& entry, const DayMachine& machine) const {
    DayJob job{.curve = {}, .arrives_s = entry.arrives_s};
    try {
      job.curve = curve_of_entry(entry, machine);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}, line {}: {}", jobs_, entry.line, error.what()));
    }
    job.curve.name = entry.name;
    job.curve.min_workers = entry.min_workers;
    if (entry.max_workers && *entry.max_workers < job.curve.max_workers()) {
      job.curve.by_workers.resize(static_cast<std::size_t>(*entry.max_workers));
    }
    if (entry.samples) job.curve.samples_left = entry.samples;
    if (job.curve.samples_left) return job;
    throw UsageError(
        fmt::format("{}, line {}: 'samples' is missing: how much job '{}' has to do", jobs_, entry.line, entry.name));
  }

  SupplyCurve curve_of_entry(const JobEntry& entry, const DayMachine& machine) const {
    if (!entry.curve.empty()) return published_curve(entry.curve);
    if (entry.profile.empty()) throw UsageError("'curve' or 'profile' is missing: what workers bring to the job");
    const Profile profile = read_profile(std::filesystem::path(jobs_).parent_path() / entry.profile);
    return curve_of({&profile, 1}, entry.name, {.most_workers = machine.resources.cores});
  }

  std::string jobs_;
  std::string mix_ = "vision,speech,language";
  int count_ = 110;    // what 8 GPUs do in a day
  double load_ = 1.2;  // somebody always waits for a GPU
  int days_ = 1;
  std::uint64_t seed_ = 1;
  std::optional<int> gpus_, cores_;
  FormatFlag format_{kDayFormats, "text or json"};
};

}  // namespace

std::unique_ptr<Verb> make_share_simulate_verb() { return std::make_unique<ShareSimulateVerb>(); }

}  // namespace stash
