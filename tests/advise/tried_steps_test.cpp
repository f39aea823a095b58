#include "stash/advise/tried_steps.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "first_step_fixture.h"
#include "stash/advise/first_steps.h"

namespace stash {
namespace {

using testing_support::script_profile;
using testing_support::set_windows;
using testing_support::StepTimes;

// Beside each window of `base`, one with the fix whose step takes `step_s`.
void add_tried(Profile& profile, Condition base, const std::string& fix, double step_s, double scatter_s = 0.0002) {
  profile.tried.push_back({fix, ""});
  for (const Window& plain : profile.windows) {
    if (plain.condition != base) continue;
    Window window = plain;
    window.variant = fix;
    for (auto& sample : window.ranks) {
      if (sample) sample->wall_s = window.steps * (step_s + (plain.round % 3 - 1) * scatter_s);
    }
    profile.variant_windows.push_back(window);
  }
}

// 100 ms of computing, 40 ms of sums that nothing hides.
Profile summing_script() {
  Profile profile = script_profile({{Condition::solo, 0.1}, {Condition::apart, 0.1}, {Condition::node, 0.14}});
  profile.job.dtype = "fp32";
  profile.collectives = {{.condition = Condition::node, .op = "allreduce", .bytes = 4 << 20, .count = 30}};
  return profile;
}

const FirstStep* step_with(const std::vector<FirstStep>& steps, std::string_view fix) {
  const auto found = std::ranges::find(steps, fix, &FirstStep::fix);
  return found == steps.end() ? nullptr : &*found;
}

TEST(TriedSteps, AMeasuredSavingStandsBesideThePredictedOne) {
  Profile profile = summing_script();
  add_tried(profile, Condition::node, "half_gradients", 0.121);
  const Ledger ledger = attribute(profile);
  const std::vector<FirstStep> steps = first_steps(profile, ledger, {});
  const FirstStep* half = step_with(steps, "half_gradients");
  ASSERT_NE(half, nullptr);
  ASSERT_TRUE(half->measured);
  EXPECT_NEAR(half->measured->s, 0.019, 0.001);
  EXPECT_NEAR(half->saved.s, 0.020, 0.001);
  const Tries tries = tries_of(profile, ledger, steps);
  ASSERT_EQ(tries.tried.size(), 1U);
  EXPECT_TRUE(tries.tried[0].helps());
  EXPECT_NEAR(tries.tried[0].predicted_s.value_or(0), 0.020, 0.001);
}

TEST(TriedSteps, AFixThatDoesNotHelpIsNoAdviceAndIsSaidNotToHelp) {
  Profile profile = summing_script();
  add_tried(profile, Condition::node, "half_gradients", 0.1401);
  const Ledger ledger = attribute(profile);
  const std::vector<FirstStep> steps = first_steps(profile, ledger, {});
  EXPECT_EQ(step_with(steps, "half_gradients"), nullptr) << "it was predicted, and measured to save nothing";
  EXPECT_FALSE(steps.empty()) << "what was not tried is still advice";
  const Tries tries = tries_of(profile, ledger, steps);
  ASSERT_EQ(tries.tried.size(), 1U);
  EXPECT_FALSE(tries.tried[0].helps());
  EXPECT_FALSE(tries.tried[0].is_worse());
  EXPECT_EQ(tries.not_tried.size(), steps.size());
}

TEST(TriedSteps, AFixThatMakesTheStepLongerIsWorse) {
  Profile profile = summing_script();
  add_tried(profile, Condition::node, "half_gradients", 0.16);
  const Ledger ledger = attribute(profile);
  const Tries tries = tries_of(profile, ledger, {});
  ASSERT_EQ(tries.tried.size(), 1U);
  EXPECT_TRUE(tries.tried[0].is_worse());
}

TEST(TriedSteps, WhatHelpsWithoutAFormulaIsAdvice) {
  Profile profile = summing_script();
  add_tried(profile, Condition::node, "bucket:104857600", 0.11);
  const Ledger ledger = attribute(profile);
  const std::vector<FirstStep> steps = first_steps(profile, ledger, {});
  const FirstStep* bucket = step_with(steps, "bucket:104857600");
  ASSERT_NE(bucket, nullptr);
  EXPECT_FALSE(bucket->is_predicted);
  EXPECT_EQ(bucket->how, "DistributedDataParallel(bucket_cap_mb=100)");
  EXPECT_EQ(&steps.front(), bucket) << "it saves most";
}

TEST(TriedSteps, WhatWasLeftOutHasItsReason) {
  Profile profile = summing_script();
  profile.tried = {{"workers:4", "the loader has no workers"}, {"prefetch:4", ""}};
  const Tries tries = tries_of(profile, attribute(profile), {});
  ASSERT_EQ(tries.not_tried.size(), 2U);
  EXPECT_EQ(tries.not_tried[0].why, "the loader has no workers");
  EXPECT_EQ(tries.not_tried[1].why, "the profile ended before two rounds had it");
}

TEST(TriedSteps, WithoutTryNothingIsSaid) { EXPECT_FALSE(tries_of(summing_script(), {}, {}).asked); }

}  // namespace
}  // namespace stash
