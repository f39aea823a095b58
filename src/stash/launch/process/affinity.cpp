#include "stash/launch/process/affinity.h"

#include <sched.h>

#include <algorithm>
#include <cstddef>

namespace stash {

std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  }
  return cores;
}

std::vector<int> core_share(const std::vector<int>& cores, int local_rank, int local_ranks) {
  const int count = static_cast<int>(cores.size());
  if (count == 0 || local_ranks <= 0) return cores;
  if (local_ranks >= count) return {cores[static_cast<std::size_t>(local_rank % count)]};
  const int first = local_rank * count / local_ranks;
  const int last = (local_rank + 1) * count / local_ranks;
  return {cores.begin() + first, cores.begin() + last};
}

void pin_to_cores(const std::vector<int>& cores) {
  if (cores.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace stash
