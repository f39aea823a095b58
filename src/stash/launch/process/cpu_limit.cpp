#include "stash/launch/process/cpu_limit.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "stash/launch/process/affinity.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

// Version 2: "max 100000" or "150000 100000", of each period.
std::optional<double> quota_v2(const fs::path& folder) {
  std::ifstream file(folder / "cpu.max");
  double quota = 0, period = 0;
  if (!(file >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

std::optional<double> quota_v1(const fs::path& folder) {
  std::ifstream quota_file(folder / "cpu.cfs_quota_us"), period_file(folder / "cpu.cfs_period_us");
  double quota = 0, period = 0;
  if (!(quota_file >> quota) || !(period_file >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

template <class Quota>
std::optional<double> smallest_quota(const fs::path& mount, fs::path group, const Quota& quota) {
  std::optional<double> least;
  for (;;) {
    if (const auto one = quota(mount / group.relative_path())) least = std::min(least.value_or(*one), *one);
    if (!group.has_relative_path()) return least;
    group = group.parent_path();
  }
}

}  // namespace

std::optional<double> cgroup_cores(const fs::path& root) {
  std::ifstream file(root / "proc/self/cgroup");
  const fs::path mount = root / "sys/fs/cgroup";
  std::optional<double> least;
  const auto take = [&](std::optional<double> one) {
    if (one) least = std::min(least.value_or(*one), *one);
  };
  for (std::string line; std::getline(file, line);) {  // "0::/path", "4:cpu,cpuacct:/path"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty()) take(smallest_quota(mount, group, quota_v2));
    if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
      take(smallest_quota(mount / controllers, group, quota_v1));
    }
  }
  return least;
}

int usable_cores() {
  const int allowed = std::max(1, static_cast<int>(allowed_cores().size()));
  const auto quota = cgroup_cores();
  return quota ? std::clamp(static_cast<int>(std::floor(*quota + 0.01)), 1, allowed) : allowed;
}

}  // namespace stash
