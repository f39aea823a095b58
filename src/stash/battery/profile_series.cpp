#include "stash/cli/profile_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "stash/cli/progress.h"
#include "stash/cli/run_case.h"
#include "stash/cli/run_progress.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/launch/stop_signals.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 4096;  // of a folder; no series has so many

// What must be the same for a profile to stand for a job that is asked for.
Job comparable(Job job) {
  job.data.clear();
  job.workers = 0;
  return job;
}

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
  if (comparable(profile.job) == comparable(job)) return profile;
  throw UsageError(
      fmt::format("{} is of a job with other flags; repeat those, or name another folder with --out", path.string()));
}

// Error says why there is no profile.
LocalRun measure(const Job& job, const StartFlags& start, LocalRanks& ranks) {
  RunProgress progress;
  const auto show = [&](const Collector& collector) { progress.show(collector); };
  LocalRun run = run_case(job, start, ranks, {.nodes = 1, .on_tick = show, .stop = {}});
  if (run.fault) throw Error(*run.fault);
  return run;
}

class Series {
 public:
  Series(fs::path folder, const StartFlags& start, std::size_t jobs)
      : folder_(std::move(folder)), start_(start), jobs_(jobs) {}

  void add(const Job& job) {
    ++place_;
    const fs::path path = folder_ / (job.model + ".json");
    if (std::optional<Profile> there = finished_profile(path, job)) {
      result_.profiles.push_back(std::move(*there));
      return;
    }
    StatusLine().say(
        fmt::format("{} of {}: {}, at most {}", place_, jobs_, job.model, format_duration(job.max_time_s)));
    try {
      LocalRun run = measure(job, start_, ranks_);
      result_.interrupted = run.interrupted;
      if (run.interrupted) return;
      write_profile(path, run.profile);
      result_.profiles.push_back(std::move(run.profile));
    } catch (const Error& error) {
      StatusLine().say(fmt::format("{} failed: {}", job.model, error.what()));
      result_.failures.emplace_back(job.model, error.what());
    }
  }

  ProfileSeries& result() { return result_; }

 private:
  fs::path folder_;
  const StartFlags& start_;
  LocalRanks ranks_{LocalRanks::After::stay};
  std::size_t jobs_;
  std::size_t place_ = 0;
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

void read_into(ProfileSeries& series, const fs::path& file) {
  try {
    series.profiles.push_back(read_profile(file));
  } catch (const Error& error) {
    StatusLine().say(printable(fmt::format("{} is not used: {}", file.filename().string(), error.what())));
    series.failures.emplace_back(file.filename().string(), error.what());
  }
}

}  // namespace

ProfileSeries measure_series(std::span<const Job> jobs, const fs::path& folder, const StartFlags& start) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("cannot make the folder {}: {}", folder.string(), failed.message()));
  start.ready();  // before Ctrl-C is taken over: a build can be ended by it
  StopSignals signals;
  Series series(folder, start, jobs.size());
  for (const Job& job : jobs) {
    if (signals.take()) {
      series.result().interrupted = true;  // between two models
    } else {
      series.add(job);
    }
    if (!series.result().interrupted) continue;
    StatusLine().say(fmt::format("stopped; the same command goes on with {}", job.model));
    break;
  }
  return std::move(series.result());
}

ProfileSeries read_profiles(std::span<const std::string> paths) {
  ProfileSeries series;
  for (const std::string& path : paths) {
    if (!fs::exists(path)) throw UsageError(fmt::format("--from {}: there is no such file or folder", path));
    const std::vector<fs::path> files = fs::is_directory(path) ? json_files(path) : std::vector<fs::path>{path};
    for (const fs::path& file : files) read_into(series, file);
  }
  return series;
}

}  // namespace stash
