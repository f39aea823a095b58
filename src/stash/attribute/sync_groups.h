#pragma once

#include <string>
#include <vector>

#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

// What a process group is for, as its user, its name and its collectives show.
enum class SyncKind {
  ddp,       // DistributedDataParallel; built-in jobs sum gradients as it does
  fsdp,      // fully_shard
  fsdp1,     // FullyShardedDataParallel
  tensor,    // a dimension of a mesh that is named so
  pipeline,  // the same, or ranks that send to each other
  unknown
};

// A process group that issued collectives, with what they come to per step.
struct SyncGroup {
  SyncKind kind = SyncKind::unknown;
  std::string name;  // empty: groups are not known
  int ranks = 1;
  int ranks_per_node = 1;
  bool between_nodes = false;
  std::optional<Estimate> exposed;              // of interconnect and network together; absent: unknown
  std::optional<Estimate> inside, between;      // of that, where both are known
  std::vector<GroupOperation> operations = {};  // per step
  double calls = 0, gathers = 0, scatters = 0;
  double bytes = 0, gathered_bytes = 0, scattered_bytes = 0, summed_bytes = 0;
};

// Of jobs whose groups are not known one group, if it only sums. The costliest first.
std::vector<SyncGroup> sync_groups(const Profile& profile, const Ledger& ledger);

}  // namespace stash
