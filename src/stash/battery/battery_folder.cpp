#include "stash/battery/battery_folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/attribute/attribute.h"
#include "stash/battery/battery_json.h"
#include "stash/battery/is_battery.h"
#include "stash/battery/micro_storage.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/profile_json.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestPlan = 64u << 20;   // 10,000 cases take 10 MB
constexpr std::size_t kLargestFailure = 1 << 20;  // a message of some lines
constexpr std::size_t kMostProfiles = 20'000;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

void BatteryFolder::make() const {
  for (const fs::path& folder : {path_ / "cases", path_ / "failed"}) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
      throw Error(fmt::format("cannot make {}: {}; name another folder with --out", folder.string(), error.message()));
    }
  }
}

void BatteryFolder::tidy() const {
  for (const fs::path& folder : {path_, path_ / "cases", path_ / "failed"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename().string();
      const bool half_written = name.starts_with('.') && name.ends_with(".tmp");
      if (half_written || name.starts_with(kStorageFiles)) fs::remove_all(entry.path(), ignored);
    }
  }
}

std::optional<Battery> BatteryFolder::plan() const {
  if (!is_there(file(kBatteryPlanFile))) return std::nullopt;
  try {
    return battery_from_json_text(read_file(file(kBatteryPlanFile), kLargestPlan));
  } catch (const Error& error) {
    throw Error(fmt::format("cannot read '{}': {}; remove it to begin anew, finished cases stay",
                            file(kBatteryPlanFile).string(), error.what()));
  }
}

void BatteryFolder::write_plan(const Battery& battery) const {
  write_file_atomically(file(kBatteryPlanFile), to_json_text(battery));
}

// What cannot be read is not finished: it is measured again.
std::optional<Profile> BatteryFolder::finished(const Case& one) const {
  if (!is_there(profile_file(one.name))) return std::nullopt;
  try {
    Profile profile = read_profile(profile_file(one.name));
    const bool whole = profile.complete && count_complete_rounds(profile) >= kFewestRounds;
    if (whole && is_of_case(one, profile.job, count_nodes(profile.places))) return profile;
  } catch (const Error&) {
  }
  return std::nullopt;
}

void BatteryFolder::write_finished(const Case& one, const Profile& profile) const {
  write_profile(profile_file(one.name), profile);
  forget_failure(one);
}

std::optional<std::string> BatteryFolder::failure(const Case& one) const {
  if (!is_there(failure_file(one))) return std::nullopt;
  try {
    const FailedCase failed = failed_case_from_json_text(read_file(failure_file(one), kLargestFailure));
    if (is_of_case(one, failed.of.job, failed.of.nodes)) return failed.why;
  } catch (const Error&) {
  }
  return std::nullopt;
}

void BatteryFolder::write_failure(const Case& one, const std::string& why) const {
  write_file_atomically(failure_file(one), to_json_text(FailedCase{one, why}));
}

void BatteryFolder::forget_failure(const Case& one) const {
  std::error_code ignored;
  fs::remove(failure_file(one), ignored);
}

std::vector<std::string> BatteryFolder::profile_names() const {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path_ / "cases", ignored)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".json" || path.filename().string().starts_with('.')) continue;
    if (names.size() == kMostProfiles)
      throw Error(fmt::format("'{}' has more than {} profiles", path_.string(), kMostProfiles));
    names.push_back(path.stem().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace stash
