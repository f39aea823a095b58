#include "stash/launch/script_job.h"

#include <gtest/gtest.h>

#include "support/message_of.h"

namespace stash {
namespace {

using Conditions = std::vector<Condition>;

ShownJob four_gpus_on_two_nodes() {
  ShownJob shown;
  shown.ranks = 4;
  shown.nodes = 2;
  shown.device = "cuda";
  shown.reads_batches = shown.reads_files = true;
  return shown;
}

TEST(ScriptJob, EveryConditionAppliesToAScriptThatShowsAll) {
  const Job job = script_job({}, four_gpus_on_two_nodes());
  EXPECT_EQ(job.conditions, Conditions(kConditions.begin(), kConditions.end()));
}

TEST(ScriptJob, WithoutALoaderThereIsNeitherCopyNorInput) {
  ShownJob shown = four_gpus_on_two_nodes();
  shown.reads_batches = false;
  EXPECT_EQ(script_job({}, shown).conditions,
            (Conditions{Condition::solo, Condition::apart, Condition::node, Condition::joined}));
}

TEST(ScriptJob, WithoutFilesThereIsNoCold) {
  ShownJob shown;
  shown.ranks = 2;
  shown.reads_batches = true;
  EXPECT_EQ(script_job({}, shown).conditions,
            (Conditions{Condition::solo, Condition::apart, Condition::node, Condition::hot}));
  ASSERT_EQ(script_warnings(shown).size(), 1U);
  EXPECT_NE(script_warnings(shown)[0].find("--data"), std::string::npos);
}

TEST(ScriptJob, OnlyWhatWasAskedForIsMeasured) {
  Job asked;
  asked.conditions = {Condition::solo, Condition::joined, Condition::hot};
  ShownJob shown;
  shown.ranks = 2;
  shown.reads_batches = shown.reads_files = true;
  EXPECT_EQ(script_job(asked, shown).conditions, (Conditions{Condition::solo, Condition::hot}));
}

TEST(ScriptJob, AskingOnlyForWhatDoesNotApplyIsAnErrorAndNotTheWholeChain) {
  Job asked;
  asked.conditions = {Condition::cold};
  EXPECT_NE(message_of<Error>([&] { script_job(asked, {}); }).find("--conditions"), std::string::npos);
}

TEST(ScriptJob, WhatIsNotSeenIsNotStated) {
  const Job unknown = script_job({}, {});
  EXPECT_EQ(unknown.dtype, "");
  EXPECT_EQ(unknown.backend, "");
  EXPECT_EQ(unknown.batch, 0);
  ShownJob shown;
  shown.dtype = "bf16";
  shown.backend = "nccl";
  shown.batch = 8;
  const Job known = script_job({}, shown);
  EXPECT_EQ(known.dtype, "bf16");
  EXPECT_EQ(known.backend, "nccl");
  EXPECT_EQ(known.batch, 8);
}

}  // namespace
}  // namespace stash
