#include "stash/advise/group_steps.h"

#include <gtest/gtest.h>

#include "../core/contains.h"
#include "first_step_fixture.h"
#include "stash/advise/first_steps.h"

namespace stash {
namespace {

using testing_support::script_profile;

std::vector<FirstStep> advice_for(const Profile& profile) { return first_steps(profile, attribute(profile), {}); }

const FirstStep* with_action(const std::vector<FirstStep>& steps, std::string_view part) {
  const auto found =
      std::ranges::find_if(steps, [&](const FirstStep& step) { return step.action.find(part) != std::string::npos; });
  return found == steps.end() ? nullptr : &*found;
}

void add_collective(Profile& profile, const char* group, const char* op, std::int64_t bytes, int count) {
  const Condition condition = count_nodes(profile.places) > 1 ? Condition::joined : Condition::node;
  profile.collectives.push_back({.condition = condition, .op = op, .bytes = bytes, .count = count, .group = group});
}

ScriptFacts facts_of(std::vector<std::string> wrappers) {
  return {.input = {},
          .parameters = 25'000'000,
          .optimizers = {},
          .stored_as = {"fp32"},
          .autocast = {},
          .wrappers = std::move(wrappers),
          .peak_memory_bytes = std::int64_t{4} << 30};
}

// 50 of 150 ms are communication of four ranks on CPUs, or two nodes of two.
Profile sharded(int nodes = 1, const char* device = "cpu") {
  testing_support::StepTimes steps{{Condition::solo, 0.1}, {Condition::apart, 0.1}, {Condition::node, 0.15}};
  if (nodes > 1)
    steps = {{Condition::solo, 0.1}, {Condition::apart, 0.1}, {Condition::node, 0.1}, {Condition::joined, 0.15}};
  Profile profile = script_profile(steps, 4);
  if (nodes > 1) {
    for (int rank = 0; rank < 4; ++rank) profile.places.push_back({"host" + std::to_string(rank / 2), rank / 2});
    testing_support::set_windows(profile, steps);
  }
  profile.job.device = device;
  profile.job.backend = profile.job.device.is_cuda() ? "nccl" : "gloo";
  profile.script = facts_of({"FSDP"});
  profile.groups = {
      {.name = "dp", .used_by = {"FSDP"}, .ranks = 4, .ranks_per_node = 4 / nodes, .between_nodes = nodes > 1}};
  add_collective(profile, "dp", "allgather", 100'000'000, 60);
  add_collective(profile, "dp", "reduce_scatter", 100'000'000, 30);
  return profile;
}

}  // namespace

TEST(GroupSteps, ShardedRanksGetNothingOfDistributedDataParallel) {
  const std::vector<FirstStep> steps = advice_for(sharded());
  ASSERT_FALSE(steps.empty());
  for (const FirstStep& step : steps) {
    EXPECT_EQ(step.how.find("DistributedDataParallel"), std::string::npos) << step.how;
    EXPECT_EQ(step.how.find("compress_hook"), std::string::npos) << step.how;
    EXPECT_EQ(step.how.find("no_sync"), std::string::npos) << step.how;
  }
}

TEST(GroupSteps, ParametersThatAreGatheredTwiceCanBeKept) {
  Profile profile = sharded();
  const std::vector<FirstStep> steps = advice_for(profile);
  const FirstStep* const kept = with_action(steps, "keep parameters gathered");
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->how, "fully_shard(module, reshard_after_forward=False)");
  EXPECT_NEAR(kept->saved.s, 0.05 / 3, 1e-4);  // one of two gathers, beside as much that is scattered
  profile.collectives[0].count = 30;
  EXPECT_EQ(with_action(advice_for(profile), "keep parameters gathered"), nullptr) << "they are kept already";
}

TEST(GroupSteps, TheOlderWrapperHasItsOwnArguments) {
  Profile profile = sharded();
  profile.script = facts_of({"FSDP1"});
  const std::vector<FirstStep> steps = advice_for(profile);
  EXPECT_CONTAINS(with_action(steps, "keep parameters gathered")->how, "ShardingStrategy.SHARD_GRAD_OP");
  EXPECT_CONTAINS(with_action(steps, "accumulate")->how, "FullyShardedDataParallel.no_sync()");
}

TEST(GroupSteps, MoreMemoryIsAskedForOnlyWhereItIs) {
  Profile profile = sharded(1, "cuda");
  profile.machine.gpus = {{"NVIDIA A100-SXM4-40GB", std::int64_t{40} << 30}};
  EXPECT_NE(with_action(advice_for(profile), "keep parameters gathered"), nullptr);
  profile.script->peak_memory_bytes = (std::int64_t{40} << 30) - 1000;
  EXPECT_EQ(with_action(advice_for(profile), "keep parameters gathered"), nullptr);
  profile.script->peak_memory_bytes.reset();
  EXPECT_EQ(with_action(advice_for(profile), "keep parameters gathered"), nullptr)
      << "what is not known is not promised";
}

TEST(GroupSteps, GpusWithBf16CanComputeAndSendInIt) {
  Profile profile = sharded(1, "cuda");
  profile.job.dtype = "fp32";
  profile.machine.gpus = {{"NVIDIA A100-SXM4-40GB", std::int64_t{40} << 30}};
  EXPECT_CONTAINS(with_action(advice_for(profile), "bf16")->how, "MixedPrecisionPolicy(param_dtype=torch.bfloat16)");
  profile.machine.gpus = {{"Tesla V100-SXM2-16GB", std::int64_t{16} << 30}};
  EXPECT_EQ(with_action(advice_for(profile), "bf16"), nullptr);
}

TEST(GroupSteps, ShardsOnSeveralNodesCanStayInsideThem) {
  Profile profile = sharded(2);
  const std::vector<FirstStep> steps = advice_for(profile);
  const FirstStep* const hybrid = with_action(steps, "shard inside each node");
  ASSERT_NE(hybrid, nullptr);
  EXPECT_EQ(hybrid->part, Part::network);
  EXPECT_CONTAINS(hybrid->how, "init_device_mesh(\"cpu\", (2, 2), mesh_dim_names=(\"replicate\", \"shard\"))");
  EXPECT_EQ(with_action(advice_for(sharded(1)), "shard inside each node"), nullptr);
}

TEST(GroupSteps, TensorParallelRanksCanBeFewer) {
  Profile profile = sharded();
  profile.groups = {{.name = "dp", .used_by = {"FSDP"}, .ranks = 2, .ranks_per_node = 2},
                    {.name = "tp", .used_by = {}, .ranks = 2, .ranks_per_node = 2}};
  add_collective(profile, "tp", "allreduce", 1'000'000, 60);
  for (const Window& window : std::vector<Window>(profile.windows)) {
    if (window.condition != Condition::node) continue;
    for (const auto& [group, off_s] : {std::pair{"dp", 0.14}, {"tp", 0.11}}) {
      Window off = window;
      off.variant = group_variant(GroupChange::off, group);
      for (std::optional<RankSample>& sample : off.ranks) sample->wall_s *= off_s / 0.15;
      profile.variant_windows.push_back(std::move(off));
    }
  }
  const std::vector<FirstStep> steps = advice_for(profile);
  const FirstStep* const fewer = with_action(steps, "without tensor parallelism");
  ASSERT_NE(fewer, nullptr);
  EXPECT_EQ(fewer->how, "init_device_mesh(\"cpu\", (4, 1), mesh_dim_names=(\"dp\", \"tp\"))");
  EXPECT_NEAR(fewer->saved.s, 0.04 - 0.01, 2e-3) << "what tp costs, less what dp then costs more";
}

TEST(GroupSteps, GroupsOfUnknownUseGetNothing) {
  Profile profile = sharded();
  profile.groups[0].used_by.clear();
  EXPECT_TRUE(advice_for(profile).empty());
}

TEST(GroupSteps, TheBf16HookNeedsCudaAndNccl) {
  Profile profile = script_profile({{Condition::solo, 0.1}, {Condition::apart, 0.1}, {Condition::node, 0.15}});
  profile.groups = {{.name = "world", .used_by = {"DDP"}, .ranks = 2, .ranks_per_node = 2}};
  add_collective(profile, "world", "allreduce", 25'000'000, 40);
  profile.machine.versions = {{"torch", "2.13.0"}, {"cuda", "12.9"}, {"nccl", "2.27.3"}};
  EXPECT_NE(with_action(advice_for(profile), "send gradients as bf16"), nullptr);
  profile.job.backend = "gloo";
  EXPECT_NE(with_action(advice_for(profile), "send gradients as bf16"), nullptr)
      << "the hook asks for NCCL, not for its use";
  profile.machine.versions.erase("nccl");
  EXPECT_EQ(with_action(advice_for(profile), "send gradients"), nullptr);
  profile.job.device = "cpu";
  EXPECT_EQ(with_action(advice_for(profile), "send gradients"), nullptr);
  EXPECT_CONTAINS(with_action(advice_for(profile), "accumulate")->how, "no_sync()");
}

TEST(LaunchGaps, AScriptWhoseKernelsAreShortCanBeCompiled) {
  Profile profile = script_profile({{Condition::solo, 0.1}}, 1);
  ScriptWork work;
  work.step_s = 0.14;  // under the profiler
  work.on_gpu = true;
  work.rows = {{WorkClass::matrix, "fp32", WorkPass::forward, 0.06, 1e9, 1e6, 100},
               {WorkClass::gap, "", std::nullopt, 0.08, 0, 0, 0}};
  profile.work = work;
  const std::vector<FirstStep> steps = advice_for(profile);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].how, "model = torch.compile(model, mode=\"reduce-overhead\")");
  EXPECT_NEAR(steps[0].saved.s, 0.75 * 0.04, 1e-4);
  profile.work->compiled = true;
  EXPECT_TRUE(advice_for(profile).empty());
  profile.work = work;
  profile.work->on_gpu = false;
  EXPECT_TRUE(advice_for(profile).empty());
  profile.work = work;
  profile.work->rows[1].s = 0.03;
  EXPECT_TRUE(advice_for(profile).empty()) << "the profiler's own time is no gap";
}

TEST(GroupSteps, AFunctionThatReturnsBatchesHasNoWorkersOfItsOwn) {
  Profile profile = script_profile({{Condition::solo, 0.05}, {Condition::staged, 0.05}, {Condition::hot, 0.09}}, 1);
  profile.job.workers = 0;
  profile.script = facts_of({});
  profile.script->input = "get_batch";
  const std::vector<FirstStep> steps = advice_for(profile);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_CONTAINS(steps[0].how, "an IterableDataset that yields what get_batch returns");
}

}  // namespace stash
