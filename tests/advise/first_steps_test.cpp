#include "stash/advise/first_steps.h"

#include <gtest/gtest.h>

#include <random>

#include "../core/contains.h"
#include "first_step_fixture.h"
#include "stash/predict/worth.h"

namespace stash {
namespace {

using namespace testing_support;

std::vector<FirstStep> steps_of(const Profile& profile) {
  return first_steps(profile, attribute(profile), instance_table());
}

const FirstStep* find(const std::vector<FirstStep>& steps, std::string_view action) {
  for (const FirstStep& step : steps) {
    if (step.action.find(action) != std::string::npos) return &step;
  }
  return nullptr;
}

double steady_s(const Profile& profile, const WhatIf& what_if = {}) {
  Predictor predictor(job_of_profile(profile), what_if);
  const Setting setting = predictor.setting_here();
  return simulate_steady_s(setting, predictor.job());
}

double directly_saved_s(const Profile& profile, const char* change) {
  WhatIf what_if;
  set(what_if, change);
  return steady_s(profile) - steady_s(profile, what_if);
}

void expect_saved(const FirstStep& step, double s) {
  EXPECT_NEAR(step.saved.s, s, 0.01 * s) << step.action;
  EXPECT_LE(step.saved.low_s, step.saved.s);
  EXPECT_GE(step.saved.high_s, step.saved.s);
}

Profile slow_decoding() {
  Profile profile = emulated_profile("resnet18", 32);
  profile.inputs[0].decode_s = 10;  // 10 ms a sample
  measure(profile);
  return profile;
}

Profile slow_links(double bytes_per_s = 2e9) {
  Profile profile = emulated_profile("vgg11", 8);
  profile.job.inject.link_bytes_per_s = bytes_per_s;
  measure(profile);
  return profile;
}

Profile slow_storage() {
  Profile profile = emulated_profile("resnet18", 32);
  profile.job.inject.read_bytes_per_s = 30e6;
  profile.job.workers = 4;
  measure(profile);
  return profile;
}

}  // namespace

TEST(FirstStep, PrepAsksForTheWorkersThatRemoveIt) {
  const Profile profile = slow_decoding();
  const std::vector<FirstStep> steps = steps_of(profile);
  ASSERT_FALSE(steps.empty());
  const FirstStep& first = steps.front();
  EXPECT_EQ(first.part, Part::prep);
  EXPECT_EQ(first.action, "give each rank 8 input workers instead of 1");
  EXPECT_EQ(first.how, "--workers 8");
  expect_saved(first, directly_saved_s(profile, "workers=8"));
  EXPECT_CONTAINS(first.because, "a rank has 8 cores");
}

TEST(FirstStep, NoMoreWorkersThanRemoveTheStall) {
  Profile profile = emulated_profile("resnet18", 32);
  profile.inputs[0].decode_s = 3;
  profile.machine.cores = 96;
  measure(profile);
  const Ledger ledger = attribute(profile);
  const FirstStep first = first_steps(profile, ledger, {}).at(0);
  const int workers = std::stoi(first.how.substr(first.how.find(' ')));
  EXPECT_NEAR(first.saved.s, ledger[Part::prep]->s, 0.02 * ledger[Part::prep]->s);
  WhatIf one_less;
  one_less.workers = workers - 1;
  EXPECT_GT(steady_s(profile, one_less), 1.01 * (ledger.step.s - ledger[Part::prep]->s));
  EXPECT_LT(workers, 16);
}

TEST(FirstStep, WorkersNeverExceedTheCores) {
  for (const int cores : {1, 2, 3, 4, 7, 16, 1'000'000}) {
    Profile profile = slow_decoding();
    profile.machine.cores = cores;
    for (const FirstStep& step : steps_of(profile)) {
      if (!step.how.starts_with("--workers ")) continue;
      const int workers = std::stoi(step.how.substr(10));
      EXPECT_LE(workers * 2, cores);
      EXPECT_GT(workers, 1);
    }
  }
}

TEST(FirstStep, WithoutMoreCoresPrepAsksForAMachineThatHasThem) {
  Profile profile = slow_decoding();
  profile.machine.cores = 2;
  measure(profile);
  const std::vector<FirstStep> steps = steps_of(profile);
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.front().part, Part::prep);
  EXPECT_EQ(steps.front().effort, Effort::machine);
  EXPECT_CONTAINS(steps.front().action, "run on 1 x ");
  EXPECT_TRUE(first_steps(profile, attribute(profile), {}).empty());
}

TEST(FirstStep, FetchAsksForStorageOfTheRateThatItNeeds) {
  const Profile profile = slow_storage();
  const Ledger ledger = attribute(profile);
  const std::vector<FirstStep> steps = first_steps(profile, ledger, {});
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.front().part, Part::fetch);
  EXPECT_CONTAINS(steps.front().action, "read from storage that gives each node ");
  expect_saved(steps.front(), ledger[Part::fetch]->s);
}

TEST(FirstStep, BetterStorageComesBeforeAnotherMachine) {
  const std::vector<FirstStep> steps = steps_of(slow_storage());
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.front().effort, Effort::hardware);
}

TEST(FirstStep, FetchOfLaterEpochsAlsoAsksForACache) {
  Profile profile = slow_storage();
  profile.dataset_samples = 1'000'000;
  profile.dataset_bytes = 110'000'000'000;
  profile.cache_bytes = 10'000'000'000;
  const Ledger ledger = attribute(profile);
  ASSERT_TRUE(ledger.steady_fetch);
  const std::vector<FirstStep> steps = first_steps(profile, ledger, {});
  const FirstStep* cache = find(steps, "of memory for the page cache instead of 10 GB");
  ASSERT_NE(cache, nullptr);
  EXPECT_FALSE(cache->first_epoch);
  EXPECT_LE(cache->saved.s, ledger.steady_fetch->fetch.s);
  EXPECT_GT(cache->saved.s, 0.9 * ledger.steady_fetch->fetch.s);
}

TEST(FirstStep, FetchOfADataSetThatStaysCachedIsSavedInTheFirstEpochOnly) {
  Profile profile = slow_storage();
  profile.dataset_samples = 1000;
  profile.dataset_bytes = 110'000'000;
  profile.cache_bytes = 10'000'000'000;
  const std::vector<FirstStep> steps = steps_of(profile);
  ASSERT_FALSE(steps.empty());
  for (const FirstStep& step : steps) EXPECT_TRUE(step.first_epoch) << step.action;
  EXPECT_EQ(find(steps, "page cache"), nullptr);
}

TEST(FirstStep, InterconnectAsksForHalfTheBytes) {
  const Profile profile = slow_links();
  const std::vector<FirstStep> steps = steps_of(profile);
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.front().part, Part::interconnect);
  const FirstStep* half = find(steps, "send gradients as fp16 instead of fp32");  // a V100 has no bf16
  ASSERT_NE(half, nullptr);
  EXPECT_CONTAINS(half->how, "fp16_compress_hook");
  expect_saved(*half, directly_saved_s(profile, "links=4GB/s"));
}

TEST(FirstStep, ATrainingThatStaysAsItIsComesBeforeOneThatChanges) {
  const std::vector<FirstStep> steps = steps_of(slow_links());
  ASSERT_GT(steps.size(), 1U);
  EXPECT_EQ(steps.front().effort, Effort::setting);
  const FirstStep* batch = find(steps, "give each rank batches of 16 instead of 8");
  ASSERT_NE(batch, nullptr);
  EXPECT_EQ(batch->how, "--batch 16");
  EXPECT_EQ(batch->effort, Effort::training);
}

TEST(FirstStep, ABatchThatDoesNotFitBecomesTwoPasses) {
  Profile profile = emulated_profile("vgg16", 128);
  profile.job.inject.link_bytes_per_s = 5e8;
  measure(profile);
  const std::vector<FirstStep> steps = steps_of(profile);
  EXPECT_EQ(find(steps, "batches of"), nullptr);
  const FirstStep* passes = find(steps, "accumulate the gradients of two passes");
  ASSERT_NE(passes, nullptr);
  const Ledger ledger = attribute(profile);
  expect_saved(*passes, ledger[Part::interconnect]->s / 2);
}

TEST(FirstStep, CallsThatCostMoreThanTheirBytesAskForLargerBuckets) {
  Profile profile = emulated_profile("resnet50", 8);
  profile.job.inject = {};
  profile.job.bucket_bytes = 1 << 20;
  for (const std::int64_t bytes : {1000, 100'000, 10'000'000}) {
    const double s = 4e-3 + static_cast<double>(bytes) / 40e9;
    profile.links.push_back({.scope = "node", .op = "allreduce", .ranks = 2, .bytes = bytes, .repeats = 3, .s = s});
  }
  const double compute_s = 0.06;
  set_windows(profile, {{Condition::solo, compute_s},
                        {Condition::apart, compute_s},
                        {Condition::node, compute_s + 0.06},
                        {Condition::hot, compute_s + 0.06},
                        {Condition::cold, compute_s + 0.06}});
  const std::vector<FirstStep> steps = steps_of(profile);
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.front().action, "let a gradient bucket hold 8 MiB instead of 1");
  const double directly_s = directly_saved_s(profile, "bucket=8MiB");
  EXPECT_NEAR(steps.front().saved.s, directly_s, 0.1 * directly_s);  // layers against tensors
}

TEST(FirstStep, NetworkAsksForOneMachineWithAsManyGpus) {
  Profile profile = on_nodes(emulated_profile("vgg11", 16), 4, 2);
  profile.job.inject.link_bytes_per_s = 1e9;
  measure(profile);
  const Ledger ledger = attribute(profile);
  ASSERT_TRUE(ledger[Part::network]);
  const std::vector<FirstStep> steps = first_steps(profile, ledger, instance_table());
  const FirstStep* machine = find(steps, "run on 1 x ");
  ASSERT_NE(machine, nullptr);
  EXPECT_CONTAINS(machine->action, "8 x V100");
  EXPECT_CONTAINS(machine->how, "--nodes 1 --gpus 8");
  EXPECT_LE(machine->saved.s, ledger[machine->part]->s);
}

TEST(FirstStep, WhatTheInputHidesIsNotSaved) {
  Profile profile = slow_links(8e9);
  profile.inputs[0].decode_s = 50;
  profile.job.workers = 4;
  measure(profile);
  const Ledger ledger = attribute(profile);
  ASSERT_GT(ledger[Part::prep]->low_s, 0);
  ASSERT_GT(ledger[Part::interconnect]->s, ledger[Part::prep]->s);
  const std::vector<FirstStep> steps = first_steps(profile, ledger, {});
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.front().part, Part::prep);
}

TEST(FirstStep, NothingWhenNothingIsWorthIt) {
  Profile profile = emulated_profile("resnet18", 32);
  measure(profile);
  EXPECT_TRUE(steps_of(profile).empty());
  EXPECT_TRUE(
      steps_of(script_profile({{Condition::solo, 0.1}, {Condition::apart, 0.1}, {Condition::hot, 0.102}})).empty());
}

TEST(FirstStep, AStallThatMayBeNothingIsLeftAlone) {
  Profile profile = script_profile({{Condition::solo, 0.1}, {Condition::apart, 0.1}, {Condition::hot, 0.11}});
  EXPECT_FALSE(steps_of(profile).empty());
  set_windows(profile, {{Condition::solo, 0.1}, {Condition::apart, 0.1}, {Condition::hot, 0.11}}, 0.03);
  EXPECT_TRUE(steps_of(profile).empty());
}

TEST(FirstStep, NeverSavesMoreThanThePart) {
  std::mt19937 random(3);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  int found = 0;
  for (int i = 0; i < 60; ++i) {
    Profile profile = emulated_profile("resnet18", 16);
    profile.job.inject.link_bytes_per_s = between(1e8, 5e9);
    profile.job.inject.read_bytes_per_s = between(1e7, 5e8);
    profile.inputs[0].decode_s = between(0.1, 10);
    profile.job.workers = 1 + i % 4;
    profile.machine.cores = 2 + i % 20;
    measure(profile);
    const Ledger ledger = attribute(profile);
    const std::vector<FirstStep> steps = first_steps(profile, ledger, instance_table());
    found += static_cast<int>(steps.size());
    EXPECT_LE(steps.size(), 5U);
    for (const FirstStep& step : steps) {
      EXPECT_LE(step.saved.s, ledger[step.part]->s) << step.action;
      EXPECT_LE(step.saved.high_s, ledger[step.part]->high_s + 1e-12) << step.action;
      EXPECT_GE(step.saved.s, 0.03 * step.of_s) << step.action;
    }
  }
  EXPECT_GT(found, 60);
}

TEST(FirstStep, ARankThatKeepsOthersWaitingComesBeforeAll) {
  Profile profile = slow_links();
  profile.places = {{"alpha", 0}, {"beta", 0}};
  for (Window& window : profile.windows) {
    if (window.condition == Condition::apart) window.ranks[1]->wall_s += 0.030 * window.steps;
  }
  const std::vector<FirstStep> steps = steps_of(profile);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_CONTAINS(steps.front().action, "look at rank 1 on beta");
  EXPECT_CONTAINS(steps.front().because, "its compute takes 30.0 ms longer per step");
  EXPECT_LE(steps.front().saved.s, 0.0301);
}

TEST(FirstStep, AScriptGetsTheWorkersThatItsWaitAsksFor) {
  const Profile profile = script_profile({{Condition::solo, 0.05}, {Condition::staged, 0.05}, {Condition::hot, 0.15}});
  const std::vector<FirstStep> steps = steps_of(profile);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps.front().how, "DataLoader(num_workers=7)");  // 2 workers take 150 ms, 6 just 50
  EXPECT_NEAR(steps.front().saved.s, 0.1, 1e-3);
}

TEST(FirstStep, AScriptWithoutWorkersGetsThem) {
  Profile profile = script_profile({{Condition::solo, 0.05}, {Condition::staged, 0.05}, {Condition::hot, 0.09}});
  profile.job.workers = 0;
  const std::vector<FirstStep> steps = steps_of(profile);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps.front().how, "DataLoader(num_workers=1)");  // 40 ms of loading hide behind 50
  profile.machine.cores = 1;
  EXPECT_TRUE(steps_of(profile).empty());
}

TEST(FirstStep, CoresThatComputeAreNotGivenToWorkers) {
  Profile profile = script_profile({{Condition::solo, 0.05}, {Condition::hot, 0.15}});
  profile.job.device = "cpu";
  EXPECT_TRUE(steps_of(profile).empty());
}

TEST(FirstStep, AScriptThatSumsLargeGradientsCanHalveThem) {
  Profile profile = script_profile({{Condition::solo, 0.1}, {Condition::apart, 0.1}, {Condition::node, 0.15}});
  profile.collectives = {{.condition = Condition::node, .op = "allreduce", .bytes = 25'000'000, .count = 40}};
  const std::vector<FirstStep> steps = steps_of(profile);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_CONTAINS(steps[0].how, "bf16_compress_hook");
  EXPECT_CONTAINS(steps[1].how, "no_sync()");
  for (const FirstStep& step : steps) EXPECT_NEAR(step.saved.s, 0.025, 1e-4);
  profile.collectives[0].op = "allgather";
  EXPECT_EQ(find(steps_of(profile), "send gradients"), nullptr);
}

TEST(FirstStep, CopiesHideBehindTheStepOnASecondStream) {
  const Profile profile = script_profile(
      {{Condition::solo, 0.1}, {Condition::apart, 0.1}, {Condition::node, 0.1}, {Condition::staged, 0.12}});
  const std::vector<FirstStep> steps = steps_of(profile);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps.front().part, Part::copy);
  EXPECT_NEAR(steps.front().saved.s, 0.02, 1e-4);
}

TEST(FirstStep, RanksThatShareTooFewCoresGetThem) {
  Profile profile = script_profile({{Condition::solo, 0.1}, {Condition::apart, 0.18}}, 4);
  profile.machine.cores = 2;
  const std::vector<FirstStep> steps = steps_of(profile);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps.front().action, "give each node 4 cores instead of 2");
  EXPECT_NEAR(steps.front().saved.s, 0.08, 1e-3);
  profile.machine.cores = 4;
  EXPECT_TRUE(steps_of(profile).empty());
}

TEST(FirstStep, ProfilesThatCannotBeSimulatedDoNoHarm) {
  Profile profile = slow_decoding();
  profile.job.model = "no such model";
  EXPECT_FALSE(steps_of(profile).empty());  // from the ledger alone
  profile = slow_decoding();
  profile.job.device = "emulated:nothing";
  EXPECT_FALSE(steps_of(profile).empty());
  profile = slow_decoding();
  profile.job.prefetch = 1;
  profile.job.batch = 1 << 20;
  steps_of(profile);
  profile.layers[0].forward_s = 1e308;
  profile.inputs[0].samples = 1;
  steps_of(profile);
}

}  // namespace stash
