#pragma once

#include <optional>
#include <string>

#include "stash/launch/placement.h"

namespace stash {

// The ranks that this process starts, and where they meet those that other processes start.
struct Team {
  int first_rank = 0;
  int count = 1;        // that this process starts
  int size = 1;         // of the whole job
  int local_rank = 0;   // of the first, among those of this host as the launcher counts them
  int local_size = 1;   // that share this host's cores, as far as is known
  std::string address;  // numeric, of the host of rank 0; empty: all ranks are ours and meet in a file
  int port = 0;
  bool store_is_there = false;  // the launcher listens at that address
  std::string interface;        // of this host that leads there; empty: unknown

  bool is_whole() const { return count == size; }
  bool leads() const { return first_rank == 0; }
};

// Of the ranks of a job, those that share this host, as far as the launcher tells.
int ranks_on_host(int ranks, const std::optional<Placement>& placement);

// `ranks` are those of the whole job. Error when rank 0's address is unknown or there is no way to it.
Team make_team(const std::optional<Placement>& placement, int ranks);

}  // namespace stash
