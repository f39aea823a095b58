#include "stash/predict/script_job_of.h"

#include <gtest/gtest.h>

#include "../core/contains.h"
#include "script_profile.h"
#include "stash/attribute/attribute.h"
#include "support/any_contains.h"
#include "support/message_of.h"

namespace stash {
namespace {

PredictJob job_of(const Profile& profile) { return job_of_script(profile, attribute(profile)); }

std::string why_not(const Profile& profile) {
  return message_of([&] { job_of(profile); });
}

}  // namespace

TEST(ScriptJobOf, WorkOfTwoRanksOnAKnownGpuIsAJob) {
  Profile profile = script_profile();
  profile.work->passes = 2;
  profile.work->sample_bytes = 64;
  const PredictJob job = job_of(profile);
  EXPECT_EQ(job.graph.name, "train.py");
  EXPECT_EQ(job.batch, 8);
  EXPECT_EQ(job.dtype, DType::fp32);
  EXPECT_EQ(job.accumulation, 2);
  EXPECT_EQ(job.sample_device_bytes, 64);
  ASSERT_NE(job.profile, nullptr);
  ASSERT_NE(job.profile->gpu, nullptr);
  EXPECT_EQ(job.profile->profile.layers.size(), 2U);
  EXPECT_TRUE(any_contains(job.assumptions, "2 recorded steps of rank 0: 2 operators"));
}

TEST(ScriptJobOf, WhatIsNotKnownIsAnAssumption) {
  Profile profile = script_profile();
  profile.work->on_gpu = false;
  profile.work->batch = 0;
  profile.work->unsized_ratio = 0.1;
  const PredictJob job = job_of(profile);
  EXPECT_EQ(job.profile->gpu, nullptr);
  EXPECT_EQ(job.batch, 1);
  EXPECT_TRUE(any_contains(job.assumptions, "not recorded on a GPU"));
  EXPECT_TRUE(any_contains(job.assumptions, "the number of samples in a step is not known"));
  EXPECT_TRUE(any_contains(job.assumptions, "10 % of the step"));
}

TEST(ScriptJobOf, AProfileWithoutWorkSaysHowToGetIt) {
  Profile profile = script_profile();
  profile.work.reset();
  EXPECT_CONTAINS(why_not(profile), "without --no-work");
}

TEST(ScriptJobOf, TheTypeIsThatOfTheProducts) {
  Profile profile = script_profile();
  profile.job.dtype.clear();
  EXPECT_EQ(job_of(profile).dtype, DType::fp32);
  for (WorkRow& row : profile.work->rows) row.dtype = row.dtype.empty() ? "" : "bf16";
  EXPECT_EQ(job_of(profile).dtype, DType::bf16);
  for (WorkRow& row : profile.work->rows) row.dtype = row.dtype.empty() ? "" : "fp64";
  EXPECT_CONTAINS(why_not(profile), "100 % of its operations in fp64");
  profile.work->rows[0].dtype = "fp32";
  EXPECT_CONTAINS(why_not(profile), "50 % of its operations");
}

TEST(ScriptJobOf, RanksThatExchangeMoreThanGradientsAreRefused) {
  Profile profile = script_profile();
  profile.collectives.push_back({.condition = Condition::joined, .op = "allgather", .bytes = 272, .count = 40});
  EXPECT_CONTAINS(why_not(profile), "exchange more than gradients (allgather)") << "and its groups are not known";
  profile.collectives.back().bytes = 1;
  EXPECT_EQ(job_of(profile).batch, 8) << "a little of something else is no parallelism";
}

TEST(ScriptJobOf, AnotherBatchNeedsWorkThatFollowsIt) {
  Profile profile = script_profile();
  PredictJob job = job_of(profile);
  job.batch = 16;
  EXPECT_NO_THROW(check_script_allows(job));
  profile.work->fixed_ratio = 0.5;
  job = job_of(profile);
  EXPECT_NO_THROW(check_script_allows(job));
  job.batch = 16;
  EXPECT_CONTAINS(message_of<UsageError>([&] { check_script_allows(job); }), "50 % of the script's operations");
  profile.work->batch = 0;
  job = job_of(profile);
  job.batch = 16;
  EXPECT_CONTAINS(message_of<UsageError>([&] { check_script_allows(job); }), "stash.wrap(iterator)");
}

TEST(ScriptJobOf, AnotherTypeNeedsKernelsOfKnownSize) {
  Profile profile = script_profile();
  profile.work->compiled = true;
  profile.work->unsized_ratio = 0.3;
  PredictJob job = job_of(profile);
  EXPECT_NO_THROW(check_script_allows(job));
  job.dtype = DType::bf16;
  EXPECT_CONTAINS(message_of<UsageError>([&] { check_script_allows(job); }), "30 % of its step");
}

}  // namespace stash
