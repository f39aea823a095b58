#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace stash {

// CPU time that all processes have used so far on some cores; nullopt where the system does not tell.
std::optional<double> busy_core_s(const std::vector<int>& cores, const std::filesystem::path& stat = "/proc/stat");

// What processes outside the pool use of its cores, smoothed.
class MachineLoad {
 public:
  // `busy_s`: of all processes; `managed_s`: of the pool's jobs; both since some start.
  void add(double now_s, double busy_s, double managed_s);
  std::optional<double> other_cores() const { return other_; }

 private:
  std::optional<double> before_s_, busy_s_, managed_s_, other_;
};

// How many of `cores` may work while others use this much of the `usable` ones. What `held` may do already is changed
// only when it is off by most of a core.
int cores_beside(double other_cores, int cores, int usable, int held);

}  // namespace stash
