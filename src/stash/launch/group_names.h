#pragma once

#include <string>
#include <vector>

#include "stash/core/profile.h"

namespace stash {

// A process group as one of its ranks sees it. Empty is unknown.
struct ShownGroup {
  std::string id;                    // torch's name for it, the same on all of its ranks
  std::string mesh;                  // the dimension of a device mesh that it was made for
  std::string description;           // that the script gave
  std::string variable;              // of the script, that holds it
  bool is_default = false;           // the group of all ranks
  std::vector<std::string> used_by;  // `DDP`, `FSDP`
  std::vector<int> ranks;
};

inline constexpr std::size_t kLongestGroupName = 60;

struct NamedGroups {
  std::vector<CommGroup> groups;         // by name
  std::vector<std::vector<int>> places;  // by rank, then by group as it showed them: the place in `groups`
};

// A name for every group, the same on all ranks: the mesh dimension, else the description, else the variable, else
// `world`, else its ranks. Groups of a kind have one name: of one mesh dimension, and unnamed ones of one size that
// share no rank. `nodes` has the node of each rank; empty: there is one.
NamedGroups name_groups(const std::vector<std::vector<ShownGroup>>& by_rank, const std::vector<RankPlace>& nodes);

}  // namespace stash
