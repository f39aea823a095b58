#include "stash/battery/profile_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/core/same_job.h"
#include "stash/launch/process/stop_signals.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 4096;  // of a folder; no series has as many

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
  if (is_same_job(profile.job, job, kAcrossHosts)) return profile;
  throw UsageError(
      fmt::format("{} is of a job with other flags; repeat those, or name another folder with --out", path.string()));
}

class Series {
 public:
  Series(fs::path folder, const CrewOptions& options, const SeriesEvents& events)
      : folder_(std::move(folder)), options_(options), events_(events) {}

  // False: it was interrupted.
  bool add(const Job& job) {
    ++number_;
    const fs::path path = folder_ / (job.model + ".json");
    if (std::optional<Profile> there = finished_profile(path, job)) {
      result_.profiles.push_back(std::move(*there));
      return true;
    }
    events_.on_job(number_, job);
    try {
      return measure(job, path);
    } catch (const Error& error) {
      events_.on_failure(job.model, error.what());
      result_.failures.emplace_back(job.model, error.what());
    }
    return true;
  }

  ProfileSeries& result() { return result_; }

 private:
  // Error says why there is no profile.
  bool measure(const Job& job, const fs::path& path) {
    CrewRun run = run_case(job, options_, ranks_, events_.on_data);
    if (run.fault) throw Error(*run.fault);
    if (run.interrupted) return false;
    write_profile(path, run.profile);
    result_.profiles.push_back(std::move(run.profile));
    return true;
  }

  fs::path folder_;
  const CrewOptions& options_;
  const SeriesEvents& events_;
  Crew ranks_{Crew::After::stay};
  std::size_t number_ = 0;
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

ProfileSeries measure_series(std::span<const Job> jobs, const fs::path& folder, const CrewOptions& options,
                             const SeriesEvents& events) {
  StopSignals signals;
  Series series(folder, options, events);
  for (const Job& job : jobs) {
    if (!signals.take() && series.add(job)) continue;
    series.result().stopped_before = job.model;
    break;
  }
  return std::move(series.result());
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
