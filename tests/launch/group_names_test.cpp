#include "stash/launch/group_names.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

using Ranks = std::vector<int>;

ShownGroup shown(std::string id, Ranks ranks) {
  ShownGroup group;
  group.id = std::move(id);
  group.ranks = std::move(ranks);
  return group;
}

ShownGroup world() {
  ShownGroup group = shown("0", {0, 1, 2, 3});
  group.is_default = true;
  return group;
}

// Four ranks as a mesh of two rows, made in the order rows 1, 2, columns 3, 4; the shown names are left to `name`.
template <class Name>
std::vector<std::vector<ShownGroup>> mesh(Name&& name) {
  const std::vector<ShownGroup> groups{shown("1", {0, 1}), shown("2", {2, 3}), shown("3", {0, 2}), shown("4", {1, 3})};
  std::vector<std::vector<ShownGroup>> by_rank(4);
  for (int rank = 0; rank < 4; ++rank) {
    by_rank[rank].push_back(world());
    for (const ShownGroup& group : groups) {
      if (group.ranks[0] != rank && group.ranks[1] != rank) continue;
      by_rank[rank].push_back(group);
      name(by_rank[rank].back());
    }
  }
  return by_rank;
}

std::vector<std::string> names(const NamedGroups& named) {
  std::vector<std::string> list;
  for (const CommGroup& group : named.groups) list.push_back(group.name);
  return list;
}

std::vector<std::string> names_on(const NamedGroups& named, std::size_t rank) {
  std::vector<std::string> list;
  for (const int place : named.places[rank]) list.push_back(named.groups[static_cast<std::size_t>(place)].name);
  return list;
}

TEST(GroupNames, AreThoseOfTheMesh) {
  const NamedGroups named = name_groups(mesh([](ShownGroup& group) {
                                          group.mesh = group.id < "3" ? "tp" : "dp";
                                          group.description = "something else";
                                          if (group.mesh == "dp") group.used_by = {"FSDP"};
                                        }),
                                        {});
  EXPECT_EQ(names(named), (std::vector<std::string>{"dp", "tp", "world"}));
  EXPECT_EQ(names_on(named, 3), (std::vector<std::string>{"world", "tp", "dp"}));
  EXPECT_EQ(named.groups[0],
            (CommGroup{.name = "dp", .used_by = {"FSDP"}, .groups = 2, .ranks = 2, .ranks_per_node = 2}));
  EXPECT_EQ(named.groups[2], (CommGroup{.name = "world", .used_by = {}, .groups = 1, .ranks = 4, .ranks_per_node = 4}));
}

TEST(GroupNames, AreDescriptionsBeforeVariables) {
  const NamedGroups named = name_groups(mesh([](ShownGroup& group) {
                                          group.variable = group.id < "3" ? "rows" : "columns";
                                          if (group.id < "3") group.description = "experts";
                                        }),
                                        {});
  EXPECT_EQ(names(named), (std::vector<std::string>{"columns", "experts", "world"}));
}

// A rank may hold its group under a name that the others do not have.
TEST(GroupNames, OneRankThatKnowsTheNameIsEnough) {
  const NamedGroups named = name_groups({{shown("1", {0, 1})}, {[] {
                                           ShownGroup group = shown("1", {0, 1});
                                           group.variable = "tp";
                                           return group;
                                         }()}},
                                        {});
  EXPECT_EQ(names_on(named, 0), std::vector<std::string>{"tp"});
}

TEST(GroupNames, UnnamedOnesOfOneSizeThatShareNoRankAreOfAKind) {
  const NamedGroups named = name_groups(mesh([](ShownGroup&) {}), {});
  EXPECT_EQ(names(named), (std::vector<std::string>{"ranks 0,2 | 1,3", "ranks 0-1 | 2-3", "world"}));
  EXPECT_EQ(names_on(named, 1), (std::vector<std::string>{"world", "ranks 0-1 | 2-3", "ranks 0,2 | 1,3"}));
}

TEST(GroupNames, NumbersAreDroppedWhereTheyOnlyCount) {
  const auto numbered = [](const char* first, const char* second) {
    return [=](ShownGroup& group) { group.description = group.id < "3" ? first + group.id : second + group.id; };
  };
  EXPECT_EQ(names(name_groups(mesh(numbered("tp_", "dp-")), {})), (std::vector<std::string>{"dp", "tp", "world"}));
  // Of an unnamed mesh: both have all ranks.
  const auto dimensions = [](ShownGroup& group) { group.description = group.id < "3" ? "dim_0" : "dim_1"; };
  EXPECT_EQ(names(name_groups(mesh(dimensions), {})), (std::vector<std::string>{"dim_0", "dim_1", "world"}));
}

TEST(GroupNames, TellWhichGroupsSpanNodes) {
  const std::vector<RankPlace> two_nodes{{"a", 0}, {"a", 0}, {"b", 1}, {"b", 1}};
  const NamedGroups named =
      name_groups(mesh([](ShownGroup& group) { group.mesh = group.id < "3" ? "tp" : "dp"; }), two_nodes);
  EXPECT_TRUE(named.groups[0].between_nodes) << "dp";
  EXPECT_EQ(named.groups[0].ranks_per_node, 1) << "dp";
  EXPECT_EQ(named.groups[2].ranks_per_node, 2) << "world";
  EXPECT_FALSE(named.groups[1].between_nodes) << "tp";
  EXPECT_TRUE(named.groups[2].between_nodes) << "world";
}

TEST(GroupNames, AreShortHoweverManyRanksThereAre) {
  std::vector<std::vector<ShownGroup>> by_rank;
  for (int rank = 0; rank < 600; ++rank) {
    Ranks ranks;
    for (int other = rank % 2; other < 600; other += 2) ranks.push_back(other);
    by_rank.push_back({shown(rank % 2 == 0 ? "1" : "2", ranks)});
  }
  const NamedGroups named = name_groups(by_rank, {});
  EXPECT_EQ(names(named), std::vector<std::string>{"ranks 0,2,4,6,8,10,12,14,… | 1,3,5,7,9,11,13,15,…"});
  EXPECT_EQ(named.groups[0].ranks, 300);
}

}  // namespace
}  // namespace stash
