#include "stash/launch/group_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>

namespace stash {
namespace {

constexpr std::size_t kMostRanksNamed = 8;

// One process group, as all of its ranks together see it.
struct WholeGroup {
  ShownGroup shown;
  std::string name;
};
using WholeGroups = std::map<std::string, WholeGroup>;  // by id

void keep_first(std::string& kept, const std::string& other) {
  if (kept.empty()) kept = other;
}

void merge(WholeGroup& whole, const ShownGroup& shown) {
  keep_first(whole.shown.mesh, shown.mesh);
  keep_first(whole.shown.description, shown.description);
  keep_first(whole.shown.variable, shown.variable);
  whole.shown.is_default |= shown.is_default;
  for (const std::string& user : shown.used_by) {
    if (std::ranges::find(whole.shown.used_by, user) == whole.shown.used_by.end()) {
      whole.shown.used_by.push_back(user);
    }
  }
}

WholeGroups whole_groups(const std::vector<std::vector<ShownGroup>>& by_rank) {
  WholeGroups groups;
  for (const auto& shown_by_rank : by_rank) {
    for (const ShownGroup& shown : shown_by_rank) {
      WholeGroup& whole = groups[shown.id];
      keep_first(whole.shown.id, shown.id);
      if (whole.shown.ranks.empty()) whole.shown.ranks = shown.ranks;
      merge(whole, shown);
    }
  }
  return groups;
}

std::string given_name(const ShownGroup& shown) {
  for (const std::string* name : {&shown.mesh, &shown.description, &shown.variable}) {
    if (!name->empty()) return name->substr(0, kLongestGroupName);
  }
  return shown.is_default ? "world" : "";
}

bool share_a_rank(const std::vector<int>& some, const std::vector<int>& others) {
  return std::ranges::any_of(some, [&](int rank) { return std::ranges::find(others, rank) != others.end(); });
}

// "dp_3" is one of many: "dp".
std::string without_number(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string::npos || last + 1 == name.size()) return name;
  const std::size_t end = name.find_last_not_of("_- .:#", last);
  return end == std::string::npos ? name : name.substr(0, end + 1);
}

// Descriptions that differ by a number alone, of groups that share no rank, are one name.
void drop_numbers(WholeGroups& groups) {
  std::map<std::string, std::vector<WholeGroup*>> by_stem;
  for (auto& [id, group] : groups) {
    if (!group.name.empty() && without_number(group.name) != group.name) {
      by_stem[without_number(group.name)].push_back(&group);
    }
  }
  for (auto& [stem, alike] : by_stem) {
    std::set<int> seen;
    std::size_t ranks = 0;
    for (const WholeGroup* group : alike) {
      seen.insert(group->shown.ranks.begin(), group->shown.ranks.end());
      ranks += group->shown.ranks.size();
    }
    if (alike.size() < 2 || seen.size() != ranks) continue;
    for (WholeGroup* group : alike) group->name = stem;
  }
}

std::string rank_list(const std::vector<int>& ranks) {
  const bool adjacent = ranks.size() > 1 && ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size());
  if (adjacent && std::ranges::is_sorted(ranks)) return fmt::format("{}-{}", ranks.front(), ranks.back());
  std::string list;
  for (std::size_t i = 0; i < std::min(ranks.size(), kMostRanksNamed); ++i) {
    list += fmt::format("{}{}", i == 0 ? "" : ",", ranks[i]);
  }
  return ranks.size() > kMostRanksNamed ? list + ",…" : list;
}

// torch counts the groups that all ranks make.
long order_of(const std::string& id) {
  long number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  return error == std::errc() && end == id.data() + id.size() ? number : std::numeric_limits<long>::max();
}

// Of the groups that nobody named, each goes to the first kind that it fits: of its size, without its ranks.
void name_by_ranks(WholeGroups& groups) {
  std::vector<WholeGroup*> unnamed;
  for (auto& [id, group] : groups) {
    if (group.name.empty()) unnamed.push_back(&group);
  }
  std::ranges::stable_sort(unnamed, {}, [](const WholeGroup* group) { return order_of(group->shown.id); });
  std::vector<std::vector<WholeGroup*>> kinds;
  for (WholeGroup* group : unnamed) {
    const auto fits = [&](const std::vector<WholeGroup*>& kind) {
      return std::ranges::all_of(kind, [&](const WholeGroup* other) {
        return other->shown.ranks.size() == group->shown.ranks.size() &&
               !share_a_rank(other->shown.ranks, group->shown.ranks);
      });
    };
    const auto kind = std::ranges::find_if(kinds, fits);
    (kind == kinds.end() ? kinds.emplace_back() : *kind).push_back(group);
  }
  for (const auto& kind : kinds) {
    std::string name = "ranks " + rank_list(kind.front()->shown.ranks);
    if (kind.size() > 1) name += " | " + rank_list(kind[1]->shown.ranks);
    if (kind.size() > 2) name += " | …";
    for (WholeGroup* group : kind) group->name = name;
  }
}

// How many of the ranks each node has.
std::map<int, int> by_node(const std::vector<int>& ranks, const std::vector<RankPlace>& nodes) {
  std::map<int, int> counts;
  for (const int rank : ranks) {
    const auto place = static_cast<std::size_t>(rank);
    ++counts[rank >= 0 && place < nodes.size() ? nodes[place].node : 0];
  }
  return counts;
}

void add_to(CommGroup& kind, const ShownGroup& shown, const std::vector<RankPlace>& nodes) {
  ++kind.groups;
  kind.ranks = std::max(kind.ranks, static_cast<int>(shown.ranks.size()));
  const std::map<int, int> counts = by_node(shown.ranks, nodes);
  kind.between_nodes |= counts.size() > 1;
  for (const auto& [node, count] : counts) kind.ranks_per_node = std::max(kind.ranks_per_node, count);
  for (const std::string& user : shown.used_by) {
    if (std::ranges::find(kind.used_by, user) == kind.used_by.end()) kind.used_by.push_back(user);
  }
}

}  // namespace

NamedGroups name_groups(const std::vector<std::vector<ShownGroup>>& by_rank, const std::vector<RankPlace>& nodes) {
  WholeGroups groups = whole_groups(by_rank);
  for (auto& [id, group] : groups) group.name = given_name(group.shown);
  drop_numbers(groups);
  name_by_ranks(groups);
  std::map<std::string, CommGroup> kinds;
  for (const auto& [id, group] : groups) {
    CommGroup& kind =
        kinds.try_emplace(group.name, CommGroup{.name = group.name, .used_by = {}, .groups = 0}).first->second;
    add_to(kind, group.shown, nodes);
  }
  NamedGroups named;
  std::map<std::string, int> places;
  for (auto& [name, kind] : kinds) {
    places[name] = static_cast<int>(named.groups.size());
    named.groups.push_back(std::move(kind));
  }
  for (const auto& shown_by_rank : by_rank) {
    std::vector<int>& own = named.places.emplace_back();
    for (const ShownGroup& shown : shown_by_rank) own.push_back(places.at(groups.at(shown.id).name));
  }
  return named;
}

}  // namespace stash
