#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stash/cli/start_flags.h"
#include "stash/core/profile.h"

namespace stash {

// Profiles of several jobs.
struct ProfileSeries {
  std::vector<Profile> profiles;
  std::vector<std::pair<std::string, std::string>> failures;  // a model or a file, and why it has no profile
  bool interrupted = false;
};

// Measures the jobs on this machine one after the other, into <model>.json of `folder`. A finished profile that is
// there is not made again; UsageError where it is of another job. A job that fails is noted, and the next one runs.
ProfileSeries measure_series(std::span<const Job> jobs, const std::filesystem::path& folder, const StartFlags& start);

// Files, and all .json files of folders. What is not a profile is noted.
ProfileSeries read_profiles(std::span<const std::string> paths);

}  // namespace stash
