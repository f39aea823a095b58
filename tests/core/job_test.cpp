#include "stash/core/job.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "stash/core/applies.h"
#include "stash/core/job_fields.h"
#include "stash/core/profile_json.h"
#include "stash/core/same_job.h"

namespace stash {
namespace {

Job job_of(const nlohmann::json& json) {
  Job job;
  json_fields::read(json, json_fields::Path{nullptr, "job"}, job);
  return job;
}

TEST(Job, WhatAScriptDoesNotShowIsNull) {
  Job job;
  job.model = job.dtype = job.backend = "";
  job.batch = 0;
  job.command = {"torchrun", "--nproc-per-node", "2", "jobs/train.py", "--epochs", "1"};
  const nlohmann::json json = to_json(job);
  for (const char* key : {"model", "dtype", "backend", "batch"}) EXPECT_TRUE(json.at(key).is_null()) << key;
  EXPECT_EQ(job_of(json), job);
  EXPECT_EQ(job_name(job), "train.py");
}

TEST(Job, AScriptsJobOfVersion01IsReadAsItWasWritten) {
  const nlohmann::json json{{"model", "train.py"}, {"batch", 0},      {"dtype", "fp32"},         {"backend", "gloo"},
                            {"ranks", 2},          {"device", "cpu"}, {"command", {"train.py"}}, {"image_size", 224}};
  const Job job = job_of(json);
  EXPECT_EQ(job_name(job), "train.py");
  EXPECT_EQ(job.batch, 0);
  EXPECT_EQ(job.dtype, "fp32");
  EXPECT_EQ(job.backend, "gloo");
}

TEST(Job, MissingKeysKeepTheirDefaults) {
  const Job job = job_of(nlohmann::json{{"model", "vgg11"}});
  EXPECT_EQ(job.model, "vgg11");
  EXPECT_EQ(job.batch, Job{}.batch);
}

TEST(SameJob, OnlyWhatIsNamedMayDiffer) {
  Job one, other;
  other.data = "/elsewhere";
  other.workers = 7;
  EXPECT_TRUE(is_same_job(one, other, kAcrossHosts));
  EXPECT_FALSE(is_same_job(one, other, kAcrossBudgetsAndData));
  other.workers = one.workers;
  EXPECT_TRUE(is_same_job(one, other, kAcrossBudgetsAndData));
  EXPECT_FALSE(is_same_job(one, other, kAcrossBudgets));
  other.data.clear();
  other.max_time_s = 1;
  EXPECT_TRUE(is_same_job(one, other, kAcrossBudgets));
  EXPECT_FALSE(is_same_job(one, other, kAcrossHosts));
  other = one;
  other.seed = 2;
  EXPECT_FALSE(is_same_job(one, other, kAcrossHosts));
}

TEST(Applies, EachConditionNeedsItsCause) {
  const JobShape alone{.reads_input = false, .reads_files = false};
  for (const Condition condition : kConditions) {
    EXPECT_EQ(applies(condition, alone), condition == Condition::solo) << to_string(condition);
  }
  EXPECT_TRUE(applies(Condition::apart, {.shares_nodes = true}));
  EXPECT_TRUE(applies(Condition::node, {.shares_nodes = true}));
  EXPECT_TRUE(applies(Condition::joined, {.several_nodes = true}));
  EXPECT_TRUE(applies(Condition::staged, {.copies_batches = true}));
  EXPECT_TRUE(applies(Condition::hot, {.reads_files = false}));
  EXPECT_FALSE(applies(Condition::cold, {.reads_files = false}));
}

}  // namespace
}  // namespace stash
