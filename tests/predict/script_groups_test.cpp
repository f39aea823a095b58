#include "stash/predict/script_groups.h"

#include <gtest/gtest.h>

#include "../core/contains.h"
#include "script_profile.h"
#include "stash/attribute/attribute.h"
#include "stash/catalog/instances.h"
#include "stash/predict/group_waits.h"
#include "stash/predict/predict.h"
#include "support/any_contains.h"
#include "support/message_of.h"

namespace stash {
namespace {

constexpr std::int64_t kUnitBytes = 1 << 20;

// Two parameters' units that are gathered in both passes and whose gradients are scattered, in 30 steps of each rank.
Profile sharding_profile(int ranks = 2) {
  Profile profile = script_profile();
  profile.job.ranks = ranks;
  for (Window& window : profile.windows) {
    window.ranks.resize(static_cast<std::size_t>(ranks), window.ranks.back());
    window.ranks.front() = RankSample{.wall_s = window.ranks.back() ? window.ranks.back()->wall_s : 0.5};
  }
  profile.script.emplace();
  profile.script->parameters = 1'000'000'000;
  profile.script->wrappers = {"FSDP"};
  profile.script->peak_memory_bytes = 10'000'000'000;
  profile.work->optimizer = UpdateKind::adam;
  CommGroup group;
  group.name = "dp";
  group.used_by = {"FSDP"};
  group.ranks = group.ranks_per_node = ranks;
  profile.groups = {group};
  profile.collectives.clear();
  for (int rank = 0; rank < ranks; ++rank) {
    profile.collectives.push_back({.rank = rank,
                                   .condition = Condition::node,
                                   .op = "allgather",
                                   .bytes = kUnitBytes,
                                   .count = 4 * 30,
                                   .group = "dp"});
    profile.collectives.push_back({.rank = rank,
                                   .condition = Condition::node,
                                   .op = "reduce_scatter",
                                   .bytes = kUnitBytes,
                                   .count = 2 * 30,
                                   .group = "dp"});
  }
  return profile;
}

// The same on four ranks of which two share each layer out.
Profile mesh_profile() {
  Profile profile = sharding_profile(4);
  profile.groups.front().ranks = 2;
  CommGroup tensor = profile.groups.front();
  tensor.name = "tp";
  tensor.used_by.clear();
  profile.groups.push_back(tensor);
  for (int rank = 0; rank < 4; ++rank) {
    profile.collectives.push_back({.rank = rank,
                                   .condition = Condition::node,
                                   .op = "allreduce",
                                   .bytes = kUnitBytes,
                                   .count = 8 * 30,
                                   .group = "tp"});
  }
  return profile;
}

std::optional<ScriptGroups> groups_of(const Profile& profile) { return script_groups(profile, attribute(profile)); }

TEST(ScriptGroups, SumsOverAllRanksNeedNone) { EXPECT_FALSE(groups_of(script_profile())); }

TEST(ScriptGroups, ShardsGrowWithTheJob) {
  const std::optional<ScriptGroups> found = groups_of(sharding_profile());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->fixed_ranks, 1);
  EXPECT_EQ(found->shards_for(16), 16);
  const std::vector<StepGroup> there = found->for_ranks(16, 2);
  ASSERT_EQ(there.size(), 1U);
  EXPECT_EQ(there[0].ranks, 16);
  EXPECT_EQ(there[0].use, GroupUse::sharded);
  for (const GroupOperation& one : there[0].operations) {
    EXPECT_DOUBLE_EQ(one.calls, one.op == "allgather" ? 4 : 2) << "as logged";
    EXPECT_DOUBLE_EQ(one.bytes, one.calls * kUnitBytes) << "parameters do not follow the batch";
  }
}

TEST(ScriptGroups, TensorGroupsKeepTheirRanksAndFollowTheBatch) {
  const std::optional<ScriptGroups> found = groups_of(mesh_profile());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->fixed_ranks, 2);
  const std::vector<StepGroup> there = found->for_ranks(16, 2);
  ASSERT_EQ(there.size(), 2U);
  EXPECT_EQ(there[0].name, "tp");
  EXPECT_EQ(there[0].ranks, 2);
  EXPECT_EQ(there[0].apart, 1);
  EXPECT_DOUBLE_EQ(there[0].operations[0].bytes, 2 * 8 * kUnitBytes);
  EXPECT_EQ(there[1].ranks, 8);
  EXPECT_EQ(there[1].apart, 2);
}

TEST(ScriptGroups, GroupsOfWhichNoneGrowsAreRefusedByName) {
  Profile profile = mesh_profile();
  profile.groups[0].used_by.clear();
  profile.groups[0].name = "mine";
  profile.groups[0].ranks = 3;
  for (CollectiveSummary& row : profile.collectives) row.group = row.group == "dp" ? "mine" : row.group;
  EXPECT_CONTAINS(message_of([&] { groups_of(profile); }), "process groups (");
}

TEST(GroupWaits, RanksOnTwoNodesShareTheirNetwork) {
  Cluster cluster;
  cluster.nodes = 2;
  cluster.ranks_per_node = 4;
  cluster.link_bytes_per_s = 1e11;
  cluster.network_bytes_per_s = 1e9;
  cluster.all_reduce = AllReduce::ring;
  StepGroup group{.name = "dp", .use = GroupUse::blocking, .ranks = 8, .operations = {{"allreduce", 1, 1e8}}};
  const double all_s = exposed_s(group, cluster, false, {});
  EXPECT_NEAR(all_s, 2 * 7.0 / 8 * 0.1, 1e-3);
  EXPECT_LT(exposed_s(group, cluster, true, {}), 0.01) << "inside a node there is no network";
  group.ranks = 4;
  group.apart = 2;  // two rows on each node, whose groups send at the same time
  EXPECT_EQ(ranks_on_node(group, cluster), 2);
  EXPECT_NEAR(exposed_s(group, cluster, false, {}), 2 * 3.0 / 4 * 0.1 * 2, 0.05);
}

TEST(GroupWaits, GathersHideBehindTheUnitBefore) {
  Cluster cluster;
  cluster.ranks_per_node = 2;
  cluster.link_bytes_per_s = 1e9;
  const StepGroup group{.name = "dp",
                        .use = GroupUse::sharded,
                        .ranks = 2,
                        .operations = {{"allgather", 8, 8e8}, {"reduce_scatter", 4, 4e8}}};
  const double one_s = 0.05;  // each call
  EXPECT_NEAR(exposed_s(group, cluster, false, {0, 0, 1}), 12 * one_s, 1e-9) << "nothing to hide behind";
  EXPECT_NEAR(exposed_s(group, cluster, false, {10, 20, 1}), 3 * one_s, 1e-9)
      << "the first gather of each pass and the last gradients";
}

TEST(GroupWaits, StagesOfAPipelineWaitForTheFirstPiece) {
  Cluster cluster;
  cluster.ranks_per_node = 4;
  const StepGroup group{.name = "pp", .use = GroupUse::passed_on, .ranks = 4, .operations = {{"send", 6, 600}}};
  EXPECT_NEAR(exposed_s(group, cluster, false, {0.1, 0.2, 1}), 3.0 / 6 * 0.3, 1e-3);
}

TEST(ScriptGroups, MemoryDecidesWhatFits) {
  Profile profile = sharding_profile();
  Predictor predictor(job_of_profile(profile));
  const auto memory = [&](int gpus) {
    const auto found = predictor.on(find_instance("p3.16xlarge"), 1, gpus);
    EXPECT_TRUE(std::holds_alternative<Prediction>(found));
    return std::get<Prediction>(found).memory_bytes;
  };
  // 16 GB of state in two shards, and 2 GB beside it.
  EXPECT_NEAR(memory(2), 10e9, 1e6);
  EXPECT_NEAR(memory(8), 4e9, 1e6);
  const auto alone = predictor.on(find_instance("p3.2xlarge"), 1);
  ASSERT_TRUE(std::holds_alternative<Prediction>(alone));
  EXPECT_TRUE(any_contains(std::get<Prediction>(alone).assumptions, "may not fit"));
}

TEST(ScriptGroups, APredictionHasALineForEachGroupAndTheyAddUp) {
  Predictor predictor(job_of_profile(mesh_profile()));
  const auto found = predictor.on(find_instance("p3.16xlarge"), 2);
  ASSERT_TRUE(std::holds_alternative<Prediction>(found));
  const Ledger& ledger = std::get<Prediction>(found).ledger;
  ASSERT_EQ(ledger.communication.size(), 3U);
  double sum_s = 0;
  for (const GroupTime& line : ledger.communication) sum_s += line.exposed->s;
  EXPECT_NEAR(sum_s, ledger[Part::interconnect]->s + ledger[Part::network]->s, 1e-9);
  EXPECT_EQ(ledger.communication[1].ranks, 8);
  EXPECT_TRUE(ledger.communication[1].between_nodes);
  EXPECT_FALSE(ledger.communication[0].between_nodes);
  const auto odd = predictor.on(find_instance("p3.8xlarge"), 1, 3);
  ASSERT_TRUE(std::holds_alternative<Rejected>(odd));
  EXPECT_CONTAINS(std::get<Rejected>(odd).why, "multiple of 2");
}

// Measured on a CPU of 4 cores.
Profile cpu_sharding_profile() {
  Profile profile = sharding_profile();
  profile.job.device = "cpu";
  profile.machine.gpus.clear();
  profile.machine.cores = 4;
  profile.work->on_gpu = false;
  for (CollectiveSummary& row : profile.collectives) row.min_s = 2e-3;
  return profile;
}

TEST(ScriptGroups, OnTheirOwnMachineTheyCostWhatWasMeasured) {
  for (const Profile& profile : {sharding_profile(), cpu_sharding_profile()}) {
    Profile timed = profile;
    timed.collectives = cpu_sharding_profile().collectives;
    const Prediction here = Predictor(job_of_profile(timed)).here();
    EXPECT_NEAR(here.ledger[Part::compute]->s, 0.1, 1e-6);
    EXPECT_NEAR(here.ledger[Part::interconnect]->s, 0.02, 1e-4);
    ASSERT_EQ(here.ledger.communication.size(), 2U);
    EXPECT_EQ(here.ledger.communication[0].ranks, 2);
  }
}

TEST(ScriptGroups, OtherRanksOnTheirOwnMachine) {
  const PredictJob job = job_of_profile(cpu_sharding_profile());
  WhatIf four;
  four.ranks = 4;
  const Ledger ledger = Predictor(job, four).here().ledger;
  EXPECT_EQ(ledger.communication[0].ranks, 4);
  EXPECT_NEAR(ledger[Part::compute]->s, 0.1, 1e-6);
  EXPECT_NEAR(ledger[Part::contention]->s, 0, 1e-6) << "each has a core";
  EXPECT_GT(ledger[Part::interconnect]->s, 0.02);
  EXPECT_LT(ledger[Part::interconnect]->s, 0.06);
  WhatIf eight;
  eight.ranks = 8;
  const Prediction crowded = Predictor(job, eight).here();
  EXPECT_NEAR(crowded.ledger[Part::contention]->s, 0.1, 1e-3) << "two ranks for each core";
  EXPECT_TRUE(any_contains(crowded.assumptions, "8 ranks that compute take turns on 4 cores"));
}

TEST(ScriptGroups, WhatACpuTakesDoesNotScale) {
  WhatIf batch;
  batch.batch = 64;
  Predictor predictor(job_of_profile(cpu_sharding_profile()), batch);
  EXPECT_CONTAINS(message_of<Error>([&] { predictor.here(); }), "recorded with batch 8 in fp32");
  WhatIf three;
  three.ranks = 3;
  Profile mesh = mesh_profile();
  for (CollectiveSummary& row : mesh.collectives) row.min_s = 2e-3;
  mesh.machine.gpus.resize(8, mesh.machine.gpus.front());
  Predictor odd(job_of_profile(mesh), three);
  EXPECT_CONTAINS(message_of<Error>([&] { odd.here(); }), "a multiple of 2");
}

}  // namespace
}  // namespace stash
