#include "stash/battery/profile_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/core/same_job.h"
#include "stash/core/units.h"
#include "stash/launch/process/stop_signals.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 4096;  // of a folder; no series has as many

// From the time that jobs are given to the end of the whole: ranks may need a while to end.
constexpr double kEndOfSeries_s = 8;
// A job that still runs with less than this left is ended.
constexpr double kCutSeries_s = 4;
// Each call has a limit of its own.
constexpr MayDiffer kAcrossCalls{.data = true, .workers = true, .max_time_s = true};

// Of an earlier run. One that is damaged or that was stopped is made again.
std::optional<Profile> finished_profile(const fs::path& path, const Job& job) {
  if (!fs::exists(path)) return std::nullopt;
  Profile profile;
  try {
    profile = read_profile(path);
  } catch (const Error&) {
    return std::nullopt;
  }
  if (!profile.complete) return std::nullopt;
  if (is_same_job(profile.job, job, kAcrossCalls)) return profile;
  throw UsageError(
      fmt::format("{} is of a job with other flags; repeat those, or name another folder with --out", path.string()));
}

class Series {
 public:
  Series(std::span<const Job> jobs, fs::path folder, const CrewOptions& options, double max_time_s,
         const SeriesEvents& events)
      : jobs_(jobs),
        folder_(std::move(folder)),
        options_(options),
        max_time_s_(max_time_s),
        events_(events),
        start_ns_(now_ns()) {
    for (const Job& job : jobs) finished_.push_back(finished_profile(path_of(job), job));
    options_.stop = [this] { return left_s() < kCutSeries_s; };
  }

  ProfileSeries run() {
    StopSignals signals;
    for (std::size_t place = 0; place < jobs_.size(); ++place) {
      if (!signals.take() && add(place)) continue;
      result_.stopped_before = jobs_[place].model;
      break;
    }
    return std::move(result_);
  }

 private:
  fs::path path_of(const Job& job) const { return folder_ / (job.model + ".json"); }
  double left_s() const { return max_time_s_ - seconds(now_ns() - start_ns_); }

  // False: it was interrupted.
  bool add(std::size_t place) {
    if (finished_[place]) {
      result_.profiles.push_back(std::move(*finished_[place]));
      return true;
    }
    Job job = jobs_[place];
    job.max_time_s = fair_share_s(left_s(), count_left(place));
    try {
      if (left_s() < kEndOfSeries_s) throw Error(no_time());
      events_.on_job(place + 1, job);
      return measure(job);
    } catch (const Error& error) {
      events_.on_failure(job.model, error.what());
      result_.failures.emplace_back(job.model, error.what());
    }
    return true;
  }

  std::size_t count_left(std::size_t place) const {
    const auto is_left = [](const std::optional<Profile>& profile) { return !profile; };
    return static_cast<std::size_t>(std::ranges::count_if(std::span(finished_).subspan(place), is_left));
  }

  std::string no_time() const {
    return fmt::format("--max-time {} was reached first; the same command resumes", format_duration(max_time_s_));
  }

  // Error says why there is no profile.
  bool measure(const Job& job) {
    CrewRun run = run_case(job, options_, ranks_, events_.on_data);
    if (run.fault) throw Error(*run.fault);
    if (run.interrupted && left_s() < kCutSeries_s) throw Error(no_time());
    if (run.interrupted) return false;
    write_profile(path_of(job), run.profile);
    result_.profiles.push_back(std::move(run.profile));
    return true;
  }

  std::span<const Job> jobs_;
  fs::path folder_;
  CrewOptions options_;
  double max_time_s_;
  const SeriesEvents& events_;
  std::int64_t start_ns_;
  std::vector<std::optional<Profile>> finished_;  // by earlier calls, one for each job
  Crew ranks_{Crew::After::stay};
  ProfileSeries result_;
};

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".json") files.push_back(entry.path());
    if (files.size() > kMostFiles) {
      throw Error(fmt::format("{} holds more than {} profiles; name those to be read", folder.string(), kMostFiles));
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

void make_series_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("cannot make the folder {}: {}", folder.string(), failed.message()));
}

double fair_share_s(double left_s, std::size_t jobs) {
  return std::max(0.0, left_s - kEndOfSeries_s) / static_cast<double>(std::max<std::size_t>(jobs, 1));
}

ProfileSeries measure_series(std::span<const Job> jobs, const fs::path& folder, const CrewOptions& options,
                             double max_time_s, const SeriesEvents& events) {
  return Series(jobs, folder, options, max_time_s, events).run();
}

ProfileSeries read_profiles(std::span<const std::string> paths,
                            const std::function<void(const std::string& what, const std::string& why)>& on_failure) {
  ProfileSeries series;
  for (const std::string& path : paths) {
    if (!fs::exists(path)) throw UsageError(fmt::format("--from {}: there is no such file or folder", path));
    const std::vector<fs::path> files = fs::is_directory(path) ? json_files(path) : std::vector<fs::path>{path};
    for (const fs::path& file : files) {
      try {
        series.profiles.push_back(read_profile(file));
      } catch (const Error& error) {
        on_failure(file.filename().string(), error.what());
        series.failures.emplace_back(file.filename().string(), error.what());
      }
    }
  }
  return series;
}

}  // namespace stash
