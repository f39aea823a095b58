#include "stash/launch/group_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace stash {
namespace {

// The last condition that adds collectives: what is switched off is missed there. None where nobody asked for
// conditions without collectives: some scripts fail in them.
std::optional<Condition> variant_base(const std::vector<Condition>& conditions) {
  const auto has = [&](Condition condition) { return std::ranges::find(conditions, condition) != conditions.end(); };
  if (!has(Condition::solo) && !has(Condition::apart)) return std::nullopt;
  for (const Condition condition : {Condition::joined, Condition::node}) {
    if (has(condition)) return condition;
  }
  return std::nullopt;
}

std::string why_left_out(const CommGroup& group, const GroupActivity& activity, bool has_base) {
  if (group.ranks < 2) return "it has one rank";
  if (!has_base) return "the conditions asked for do not switch collectives off and on";
  return activity.calls > 0 ? "" : "it was idle in the first steps";
}

}  // namespace

std::vector<Variant> choose_group_variants(std::vector<CommGroup>& groups, const std::vector<GroupActivity>& activity,
                                           const std::vector<Condition>& conditions) {
  const std::optional<Condition> base = variant_base(conditions);
  std::vector<std::size_t> busy;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].left_out = why_left_out(groups[i], activity.at(i), base.has_value());
    if (groups[i].left_out.empty()) busy.push_back(i);
  }
  std::ranges::stable_sort(busy, std::greater<>(), [&](std::size_t i) { return activity[i].s; });
  for (; busy.size() > kMostGroupVariants; busy.pop_back()) {
    groups[busy.back()].left_out = fmt::format("{} other groups are busier", kMostGroupVariants);
  }
  std::vector<Variant> variants;
  if (busy.size() < 2) return variants;
  std::ranges::sort(busy);
  for (const std::size_t i : busy) {
    const CommGroup& group = groups[i];
    variants.push_back({*base, group_variant(GroupChange::off, group.name)});
    const bool mixed = group.between_nodes && group.ranks_per_node > 1;
    if (mixed && *base == Condition::joined) {
      variants.push_back({*base, group_variant(GroupChange::within_node, group.name)});
    }
  }
  return variants;
}

}  // namespace stash
