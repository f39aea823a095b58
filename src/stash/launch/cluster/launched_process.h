#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stash/launch/cluster/meeting_point.h"

namespace stash {

// What the launcher that started this process says of it in the environment.
struct LaunchedProcess {
  std::string launcher;  // for people: "torchrun", "Open MPI", "Slurm", ...
  int rank = 0;          // of `size`; where `starts_nodes`, nodes are counted
  int size = 1;
  bool starts_nodes = false;  // one process on each node, which starts the node's ranks itself
  std::optional<int> local_rank;
  std::optional<int> local_size;
  MeetingPoint meeting;                                   // of all processes
  std::vector<std::pair<std::string, std::string>> read;  // variables and their values, in the order they were used

  bool operator==(const LaunchedProcess&) const = default;
};

using Variables = std::function<std::optional<std::string>(std::string_view name)>;

// From the environment of this process.
std::optional<std::string> environment_variable(std::string_view name);

// Of torchrun, Open MPI, Slurm, PMIx, PMI, SkyPilot, Kubernetes indexed jobs, and whoever sets RANK, WORLD_SIZE and
// MASTER_ADDR. nullopt: no launcher, or one that started a single process. UsageError when its variables contradict
// each other.
std::optional<LaunchedProcess> find_launched_process(const Variables& variables);

}  // namespace stash
