#include "stash/predict/rank_groups.h"

namespace stash {
namespace {

// `late_s` holds the node's late ranks, counted from its first.
void add_node(RankGroups& groups, int nodes, int ranks, const std::map<int, double>& late_s, bool collapse) {
  const std::size_t node = groups.nodes.size();
  const std::size_t first = groups.ranks.size();
  for (const auto& [rank, s] : late_s) groups.ranks.push_back({node, 1, s});
  const int others = ranks - static_cast<int>(late_s.size());
  if (collapse && others > 0) groups.ranks.push_back({node, others, 0});
  for (int i = 0; !collapse && i < others; ++i) groups.ranks.push_back({node, 1, 0});
  groups.nodes.push_back({nodes, first, groups.ranks.size() - first});
}

}  // namespace

RankGroups group_ranks(const Cluster& cluster, bool collapse) {
  std::map<int, std::map<int, double>> late_by_node;
  for (const auto& [rank, late_s] : cluster.late_s) {
    if (late_s > 0) late_by_node[rank / cluster.ranks_per_node][rank % cluster.ranks_per_node] = late_s;
  }
  RankGroups groups;
  for (const auto& [node, late_s] : late_by_node) add_node(groups, 1, cluster.ranks_per_node, late_s, collapse);
  const int others = cluster.nodes - static_cast<int>(late_by_node.size());
  if (collapse && others > 0) add_node(groups, others, cluster.ranks_per_node, {}, collapse);
  for (int i = 0; !collapse && i < others; ++i) add_node(groups, 1, cluster.ranks_per_node, {}, collapse);
  return groups;
}

}  // namespace stash
