#pragma once

#include <vector>

#include "stash/predict/cluster.h"

namespace stash {

// Ranks of a node that do the same at the same time; nodes whose groups are alike.
struct RankGroup {
  std::size_t node = 0;  // in NodeGroups
  int ranks = 1;         // of each such node
  double late_s = 0;
};
struct NodeGroup {
  int nodes = 1;
  std::size_t first_rank_group = 0;
  std::size_t rank_groups = 0;
};
struct RankGroups {
  std::vector<RankGroup> ranks;
  std::vector<NodeGroup> nodes;
};

// One representative for all that are alike: late ranks by themselves, the others of their node, the nodes without a
// late rank. `collapse` false: every rank and node by itself.
RankGroups group_ranks(const Cluster& cluster, bool collapse);

}  // namespace stash
