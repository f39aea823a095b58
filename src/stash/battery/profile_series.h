#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stash/battery/run_case.h"
#include "stash/core/profile.h"
#include "stash/launch/crew.h"

namespace stash {

// Profiles of several jobs.
struct ProfileSeries {
  std::vector<Profile> profiles;
  std::vector<std::pair<std::string, std::string>> failures;  // a model or a file, and why it has no profile
  std::string stopped_before = {};  // the model that would have been next; empty: all were run
};

// Who hears of a series while it runs.
struct SeriesEvents {
  std::function<void(std::size_t number, const Job& job)> on_job;  // is about to be measured, counted from 1
  std::function<void(const std::string& what, const std::string& why)> on_failure;
  OnDefaultData on_data;
};

// Error says why there can be none, before anything is measured for it.
void make_series_folder(const std::filesystem::path& folder);

// Of `left_s`, what each of `jobs` that are still to be measured may take, so that all end in time.
double fair_share_s(double left_s, std::size_t jobs);

// Measures the jobs on this machine one after the other, into <model>.json of `folder`, which exists; all of them
// within `max_time_s`, evenly. A finished profile that is there is not made again and takes no time; UsageError where
// it is of another job. A job that fails, or that no time is left for, is noted, and the next one runs. Takes over
// Ctrl-C.
ProfileSeries measure_series(std::span<const Job> jobs, const std::filesystem::path& folder, const CrewOptions& options,
                             double max_time_s, const SeriesEvents& events);

// Files, and all .json files of folders. What is not a profile is noted, and told to `on_failure`.
ProfileSeries read_profiles(std::span<const std::string> paths,
                            const std::function<void(const std::string& what, const std::string& why)>& on_failure);

}  // namespace stash
