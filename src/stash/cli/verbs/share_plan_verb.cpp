#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <ranges>

#include "stash/cli/output.h"
#include "stash/cli/verbs/share_verbs.h"
#include "stash/core/error.h"
#include "stash/core/job.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/core/words.h"
#include "stash/launch/process/cpu_limit.h"
#include "stash/report/html/sharing_plan_page.h"
#include "stash/report/sharing_plan_report.h"
#include "stash/report/terminal.h"
#include "stash/share/curve_of_profile.h"
#include "stash/share/sharing_plan.h"

namespace stash {
namespace {

constexpr std::size_t kMostProfilesOfAJob = 64;

class SharePlanVerb final : public Verb {
 public:
  std::string name() const override { return "plan"; }
  std::string description() const override { return "Allocate loader workers among jobs, and show the gain"; }

  void add_flags(CLI::App& app) override {
    app.add_option("profiles", profiles_,
                   "A profile of each job; several of one job with different --workers are joined with commas")
        ->type_name("PROFILE")
        ->required();
    app.add_option("--cores", cores_, "Cores for loader workers; default: those that this process may use")
        ->type_name("N");
    app.add_option("--objective", objective_,
                   "throughput: the highest total; fairness: help the worst-fed job; makespan: end as early as can be")
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--storage", storage_,
                   "Rate of the storage that the jobs share; default: the highest that a profile measured")
        ->type_name("RATE");
    app.add_option(
           "--samples", samples_,
           "Samples left of each job, in the order of the profiles, for --objective makespan; default: an epoch")
        ->type_name("LIST");
    app.add_option(
           "--min-workers", min_workers_,
           "Least workers of each rank: one number, or one for each job in the order of the profiles; default: 1")
        ->type_name("LIST");
    app.add_option("--max-workers", max_workers_, "Most workers of each rank, likewise; default: --cores")
        ->type_name("LIST");
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash share plan a.json b.json c.json --cores 16\n"
        "  stash share plan a-2-workers.json,a-8-workers.json b.json --cores 16 --objective fairness\n");
  }

  int run() override {
    const Format format = format_.get();
    const Objective objective = parse_objective(objective_);
    if (!out_.empty()) check_writable(out_);
    const SharingPlan plan = plan_sharing(read_curves(), resources_, objective);
    print_or_write(render(plan, format), out_);
    return 0;
  }

 private:
  std::vector<SupplyCurve> read_curves() {
    resources_.cores = cores_.value_or(usable_cores());
    if (resources_.cores < 1 || resources_.cores > kMostSharedCores) {
      throw UsageError(fmt::format("--cores {} is out of range: it takes 1 to {}", resources_.cores, kMostSharedCores));
    }
    if (profiles_.size() > kMostSharedJobs) {
      throw UsageError(fmt::format("{} jobs are too many; at most {}", profiles_.size(), kMostSharedJobs));
    }
    std::vector<std::vector<Profile>> jobs;
    for (const std::string& given : profiles_) jobs.push_back(read_job(given));
    find_storage(jobs);
    std::vector<SupplyCurve> curves;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      // The others have one at least.
      const CurveOptions options{.most_workers = std::max(resources_.cores - static_cast<int>(jobs.size()) + 1, 1)};
      curves.push_back(curve_of(jobs[j], name_of(j), options));
    }
    use_samples(curves);
    use_limits(curves);
    return curves;
  }

  static std::vector<Profile> read_job(const std::string& given) {
    const std::vector<std::string> paths = split_list(given);
    if (paths.empty() || paths.size() > kMostProfilesOfAJob) {
      throw UsageError(fmt::format("'{}' names {} profiles of a job; 1 to {} can be joined", given, paths.size(),
                                   kMostProfilesOfAJob));
    }
    std::vector<Profile> profiles;
    for (const std::string& path : paths) profiles.push_back(read_profile(path));
    return profiles;
  }

  // The file's name, with a number where two jobs have the same.
  std::string name_of(std::size_t job) const {
    const auto stem = [&](std::size_t j) {
      return std::filesystem::path(split_list(profiles_[j]).front()).stem().string();
    };
    const auto before = static_cast<std::size_t>(std::ranges::count_if(
        std::views::iota(std::size_t{0}, job), [&](std::size_t j) { return stem(j) == stem(job); }));
    return before == 0 ? stem(job) : fmt::format("{}-{}", stem(job), before + 1);
  }

  void find_storage(const std::vector<std::vector<Profile>>& jobs) {
    if (storage_) {
      resources_.storage_bytes_per_s = parse_bytes_per_s(*storage_, "--storage");
      if (!(resources_.storage_bytes_per_s > 0)) throw UsageError("--storage takes a rate above 0, like 500MB/s");
      return;
    }
    std::optional<double> most;
    for (const auto& profiles : jobs) {
      for (const Profile& profile : profiles) {
        if (const auto rate = measured_storage_bytes_per_s(profile)) most = std::max(most.value_or(0), *rate);
      }
    }
    if (most) resources_.storage_bytes_per_s = *most;
  }

  void use_samples(std::vector<SupplyCurve>& curves) const {
    if (samples_.empty()) return;
    const std::vector<std::string> words = split_list_strictly(samples_);
    if (words.size() != curves.size()) {
      throw UsageError(fmt::format("--samples has {} numbers for {} jobs", words.size(), curves.size()));
    }
    for (std::size_t j = 0; j < words.size(); ++j) {
      char* end = nullptr;
      const double count = std::strtod(words[j].c_str(), &end);
      if (end == words[j].c_str() || *end != '\0' || !(count > 0) || !std::isfinite(count)) {
        throw UsageError(fmt::format("--samples takes numbers above 0, not '{}'", words[j]));
      }
      curves[j].samples_left = count;
    }
  }

  void use_limits(std::vector<SupplyCurve>& curves) const {
    const std::vector<int> least = workers_in(min_workers_, "--min-workers", curves.size());
    const std::vector<int> most = workers_in(max_workers_, "--max-workers", curves.size());
    for (std::size_t j = 0; j < curves.size(); ++j) {
      if (!least.empty()) curves[j].min_workers = least[j];
      if (most.empty()) continue;
      if (most[j] < curves[j].min_workers) {
        throw UsageError(fmt::format("--max-workers of job '{}' is {}, and --min-workers {}", curves[j].name, most[j],
                                     curves[j].min_workers));
      }
      if (most[j] < curves[j].max_workers()) curves[j].by_workers.resize(static_cast<std::size_t>(most[j]));
    }
  }

  // Empty: not given.
  static std::vector<int> workers_in(const std::string& given, std::string_view flag, std::size_t jobs) {
    if (given.empty()) return {};
    std::vector<int> found;
    for (const std::string& word : split_list_strictly(given)) {
      int count = 0;
      const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), count);
      if (fault != std::errc{} || end != word.data() + word.size() || count < 1 || count > kMostWorkersPerRank) {
        throw UsageError(fmt::format("{} takes whole numbers from 1 to {}, not '{}'", flag, kMostWorkersPerRank, word));
      }
      found.push_back(count);
    }
    if (found.size() == 1) found.resize(jobs, found.front());
    if (found.size() == jobs) return found;
    throw UsageError(fmt::format("{} has {} numbers for {} jobs", flag, found.size(), jobs));
  }

  static std::string render(const SharingPlan& plan, Format format) {
    if (format == Format::json) return render_sharing_json(plan);
    if (format == Format::html) return render_sharing_html(plan);
    return render_sharing_text(plan, options_for_stdout());
  }

  std::vector<std::string> profiles_;
  std::optional<int> cores_;
  std::string objective_ = "throughput";
  std::optional<std::string> storage_;
  std::string samples_, min_workers_, max_workers_, out_;
  Resources resources_;
  FormatFlag format_ = sharing_format();
};

}  // namespace

std::unique_ptr<Verb> make_share_plan_verb() { return std::make_unique<SharePlanVerb>(); }

}  // namespace stash
