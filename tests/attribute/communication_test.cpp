#include "stash/attribute/communication.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scripted.h"
#include "stash/attribute/attribute.h"

namespace stash {
namespace {

using testing_support::Script;
using testing_support::ScriptedProfile;

CommGroup group(std::string name, std::string left_out = "") {
  CommGroup made;
  made.name = std::move(name);
  made.ranks = 2;
  made.left_out = std::move(left_out);
  return made;
}

// Of a step of 135 ms under `node`, which interconnect makes 30 ms longer.
void add_variant(Profile& profile, const std::string& variant, double saved_s) {
  std::vector<Window> more;
  for (const Window& window : profile.windows) {
    if (window.condition != Condition::node) continue;
    Window changed = window;
    changed.variant = variant;
    for (auto& rank : changed.ranks) rank->wall_s -= saved_s * window.steps;
    more.push_back(changed);
  }
  for (Window& window : more) add_window(profile, std::move(window));
}

Profile profile_with(std::vector<CommGroup> groups) {
  Script script;
  script.noise.normal_s = 0.001;
  Profile profile = ScriptedProfile(script, 7).add_rounds(6).profile();
  profile.groups = std::move(groups);
  return profile;
}

const GroupTime& line(const Ledger& ledger, const std::string& name) {
  const auto found = std::ranges::find(ledger.communication, name, &GroupTime::name);
  if (found == ledger.communication.end()) throw std::runtime_error("no line " + name);
  return *found;
}

double sum_of_lines(const Ledger& ledger) {
  double sum = 0;
  for (const GroupTime& one : ledger.communication) sum += one.exposed ? one.exposed->s : 0;
  return sum;
}

TEST(Communication, LinesAddUpToInterconnectAndNetwork) {
  Profile profile = profile_with({group("dp"), group("tp")});
  add_variant(profile, "off:dp", 0.012);
  add_variant(profile, "off:tp", 0.005);
  const Ledger ledger = attribute(profile);
  EXPECT_NEAR(line(ledger, "dp").exposed->s, 0.012, 1e-9);
  EXPECT_NEAR(line(ledger, "tp").exposed->s, 0.005, 1e-9);
  EXPECT_NEAR(line(ledger, "").exposed->s, 0.013, 0.002);
  EXPECT_NEAR(sum_of_lines(ledger), ledger[Part::interconnect]->s, 1e-12);
  EXPECT_EQ(ledger.communication.front().name, "dp") << "the costliest first";
  EXPECT_EQ(ledger.communication.back().name, "") << "what is left last";
}

TEST(Communication, TheOnlyBusyGroupCostsAllOfIt) {
  const Ledger ledger = attribute(profile_with({group("world"), group("pp", "it has one rank")}));
  ASSERT_EQ(ledger.communication.size(), 2U) << "nothing is left";
  EXPECT_EQ(line(ledger, "world").exposed, ledger[Part::interconnect]);
  EXPECT_FALSE(line(ledger, "pp").exposed);
  EXPECT_EQ(line(ledger, "pp").why_not, "it has one rank");
}

TEST(Communication, WhatWasNotMeasuredStaysInTheRest) {
  Profile profile = profile_with({group("dp"), group("tp"), group("ep", "6 other groups are busier")});
  add_variant(profile, "off:dp", 0.012);
  const Ledger ledger = attribute(profile);
  EXPECT_EQ(line(ledger, "tp").why_not, "it was visited in fewer than two rounds");
  EXPECT_NEAR(line(ledger, "").exposed->s, 0.018, 0.002);
  EXPECT_NEAR(sum_of_lines(ledger), ledger[Part::interconnect]->s, 1e-12);
}

TEST(Communication, CallsAndBytesAreThoseOfAStepOfARank) {
  Profile profile = profile_with({group("tp")});
  const auto steps = static_cast<std::int64_t>(6 * profile.windows[0].steps);
  const auto row = [&](int rank, std::string op, std::int64_t bytes, std::int64_t count, Condition condition) {
    CollectiveSummary summary;
    summary.rank = rank;
    summary.condition = condition;
    summary.op = std::move(op);
    summary.bytes = bytes;
    summary.count = count;
    summary.group = "tp";
    profile.collectives.push_back(summary);
  };
  for (const int rank : {0, 1}) {
    row(rank, "allreduce", 1000, 2 * steps, Condition::node);
    row(rank, "allreduce", 10, steps, Condition::node);
    row(rank, "allreduce", 1000, 50 * steps, Condition::hot);
  }
  row(0, "send", 500, 4 * steps, Condition::node);
  const Ledger ledger = attribute(profile);
  const std::vector<GroupOperation> expected{{"allreduce", 3, 2010}, {"send", 2, 1000}};
  EXPECT_EQ(line(ledger, "tp").operations, expected);
}

// Inside a node the group costs what confining it to the node does not save.
TEST(Communication, AGroupWithinAndBetweenNodesIsSplit) {
  Profile profile = profile_with({group("dp"), group("tp")});
  profile.groups[0].between_nodes = true;
  profile.groups[0].ranks_per_node = 2;
  add_variant(profile, "off:dp", 0.012);
  add_variant(profile, "within_node:dp", 0.009);
  add_variant(profile, "off:tp", 0.001);
  const Ledger ledger = attribute(profile);
  EXPECT_NEAR(line(ledger, "dp").between->s, 0.009, 1e-9);
  EXPECT_NEAR(line(ledger, "dp").inside->s, 0.003, 1e-9);
  EXPECT_FALSE(line(ledger, "tp").between);
}

TEST(Communication, GroupsThatCameLaterAreCounted) {
  Profile profile = profile_with({group("dp")});
  CollectiveSummary late;
  late.condition = Condition::node;
  late.op = "allreduce";
  late.count = 6;
  late.group = "made meanwhile";
  profile.collectives = {late};
  const Ledger ledger = attribute(profile);
  EXPECT_EQ(line(ledger, "made meanwhile").why_not, "made while the profile was taken");
  EXPECT_EQ(line(ledger, "dp").exposed, ledger[Part::interconnect]);
}

TEST(Communication, WithoutGroupsOrConditionsThereIsNone) {
  EXPECT_TRUE(attribute(profile_with({})).communication.empty());
  Script alone;
  alone.chain = {Condition::solo, Condition::hot};
  alone.added_s = {0.1, 0.01};
  Profile profile = ScriptedProfile(alone, 7).add_rounds(6).profile();
  profile.groups = {group("dp", "the conditions asked for do not switch collectives off and on")};
  const Ledger ledger = attribute(profile);
  ASSERT_EQ(ledger.communication.size(), 1U);
  EXPECT_FALSE(ledger.communication[0].exposed);
}

}  // namespace
}  // namespace stash
