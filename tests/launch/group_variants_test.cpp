#include "stash/launch/group_variants.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

const std::vector<Condition> kOneNode{Condition::solo, Condition::apart, Condition::node, Condition::hot};
const std::vector<Condition> kNodes{Condition::solo, Condition::apart, Condition::node, Condition::joined};

CommGroup group(std::string name, int ranks = 2) {
  CommGroup made;
  made.name = std::move(name);
  made.ranks = ranks;
  return made;
}

TEST(GroupVariants, EachBusyGroupIsSwitchedOffAlone) {
  std::vector<CommGroup> groups{group("dp"), group("tp"), group("world", 4), group("pp", 1)};
  const auto variants = choose_group_variants(groups, {{3, 0.1}, {9, 0.2}, {0, 0}, {4, 0.1}}, kOneNode);
  EXPECT_EQ(variants, (std::vector<Variant>{{Condition::node, "off:dp"}, {Condition::node, "off:tp"}}));
  EXPECT_EQ(groups[0].left_out, "");
  EXPECT_EQ(groups[2].left_out, "it was idle in the first steps");
  EXPECT_EQ(groups[3].left_out, "it has one rank");
}

TEST(GroupVariants, OneBusyGroupCostsWhatAllCost) {
  std::vector<CommGroup> groups{group("dp"), group("tp")};
  EXPECT_TRUE(choose_group_variants(groups, {{3, 0.1}, {0, 0}}, kOneNode).empty());
  EXPECT_EQ(groups[0].left_out, "");
}

TEST(GroupVariants, GroupsWithinAndBetweenNodesAreAlsoConfined) {
  std::vector<CommGroup> groups{group("dp"), group("tp"), group("ep", 4)};
  groups[0].between_nodes = groups[2].between_nodes = true;
  groups[2].ranks_per_node = 2;
  const auto variants = choose_group_variants(groups, {{1, 1}, {1, 1}, {1, 1}}, kNodes);
  ASSERT_EQ(variants.size(), 4U);
  EXPECT_EQ(variants[3], (Variant{Condition::joined, "within_node:ep"}));
}

TEST(GroupVariants, WithoutConditionsThatSwitchCollectivesThereAreNone) {
  std::vector<CommGroup> groups{group("dp"), group("tp")};
  EXPECT_TRUE(choose_group_variants(groups, {{3, 0.1}, {3, 0.1}}, {Condition::solo, Condition::hot}).empty());
  EXPECT_TRUE(choose_group_variants(groups, {{3, 0.1}, {3, 0.1}}, {Condition::node, Condition::hot}).empty());
  EXPECT_EQ(groups[0].left_out, "the conditions asked for do not switch collectives off and on");
}

TEST(GroupVariants, OfVeryManyTheBusiestAreMeasured) {
  std::vector<CommGroup> groups;
  std::vector<GroupActivity> activity;
  for (int i = 0; i < 9; ++i) {
    groups.push_back(group("group " + std::to_string(i)));
    activity.push_back({1, 0.01 * i});
  }
  const auto variants = choose_group_variants(groups, activity, kOneNode);
  ASSERT_EQ(variants.size(), kMostGroupVariants);
  EXPECT_EQ(variants.front().name, "off:group 3");
  EXPECT_EQ(groups[2].left_out, "6 other groups are busier");
}

}  // namespace
}  // namespace stash
