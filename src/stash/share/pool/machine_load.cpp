#include "stash/share/pool/machine_load.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

namespace stash {
namespace {

constexpr double kNewLoadWeight = 0.5;  // of the last ten seconds
constexpr double kHeldCores = 0.75;

}  // namespace

std::optional<double> busy_core_s(const std::vector<int>& cores, const std::filesystem::path& stat) {
  std::ifstream file(stat);
  double ticks = 0;
  bool found = false;
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream words(line.substr(3));
    int core = -1;
    double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, stolen = 0;
    if (line[3] == ' ' || !(words >> core >> user >> nice >> system >> idle >> wait >> irq >> soft >> stolen)) continue;
    if (!std::ranges::binary_search(cores, core)) continue;
    found = true;
    ticks += user + nice + system + irq + soft + stolen;
  }
  if (!found) return std::nullopt;
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void MachineLoad::add(double now_s, double busy_s, double managed_s) {
  if (before_s_ && now_s > *before_s_) {
    const double used_s = (busy_s - *busy_s_) - (managed_s - *managed_s_);
    const double cores = std::max(used_s / (now_s - *before_s_), 0.0);
    other_ = other_ ? *other_ + kNewLoadWeight * (cores - *other_) : cores;
  }
  before_s_ = now_s;
  busy_s_ = busy_s;
  managed_s_ = managed_s;
}

int cores_beside(double other_cores, int cores, int usable, int held) {
  const double free = std::clamp(usable - other_cores, 1.0, static_cast<double>(cores));
  if (std::abs(free - held) < kHeldCores) return held;
  return std::clamp(static_cast<int>(std::lround(free)), 1, cores);
}

}  // namespace stash
