#pragma once

#include <optional>
#include <string>

#include "stash/launch/cluster/launched_process.h"

namespace stash {

// Which ranks of the team this process starts, and where they meet those that other processes start.
struct CrewPlan {
  int first_rank = 0;
  int count = 1;          // that this process starts
  int size = 1;           // of the whole job
  int local_rank = 0;     // of the first, among those of this host as the launcher counts them
  int local_size = 1;     // that share this host's cores, as far as is known
  MeetingPoint meeting;   // its address is numeric; empty: the crew is the whole team, which meets in a file
  std::string interface;  // of this host that leads there; empty: unknown

  bool is_whole() const { return count == size; }
  bool leads() const { return first_rank == 0; }
};

// Of the ranks of a job, those that share this host, as far as the launcher tells.
int ranks_on_host(int ranks, const std::optional<LaunchedProcess>& launched);

// `ranks` are those of the whole job. Error when rank 0's address is unknown or there is no way to it.
CrewPlan plan_crew(const std::optional<LaunchedProcess>& launched, int ranks);

}  // namespace stash
