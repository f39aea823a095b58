#include "stash/attribute/comparable.h"

#include <gtest/gtest.h>

#include "scripted.h"

namespace stash {

namespace {

using testing_support::Script;
using testing_support::ScriptedProfile;

Profile usual() { return std::move(ScriptedProfile(Script{}, 1).add_rounds(2).profile()); }

using ProfileChange = void (*)(Profile&);

}  // namespace

TEST(Comparable, AJobAndItself) {
  EXPECT_TRUE(job_mismatches(usual(), usual()).empty());
  EXPECT_TRUE(setting_mismatches(usual(), usual()).empty());
}

TEST(Comparable, EveryPropertyOfTheJobIsNamedWithBothValues) {
  Profile after = usual();
  after.job.model = "vgg11";
  after.job.batch = 64;
  const std::vector<Mismatch> expected{{"model", "resnet18", "vgg11"}, {"batch", "32", "64"}};
  EXPECT_EQ(job_mismatches(usual(), after), expected);
}

TEST(Comparable, WhatMakesAnotherJob) {
  const std::vector<std::pair<const char*, ProfileChange>> cases{
      {"command", [](Profile& p) { p.job.command = {"python", "train.py"}; }},
      {"image size", [](Profile& p) { p.job.image_size = 96; }},
      {"sequence length", [](Profile& p) { p.job.seq_len = 128; }},
      {"device", [](Profile& p) { p.job.device = "cuda"; }},
      {"dtype", [](Profile& p) { p.job.dtype = "bf16"; }},
      {"ranks", [](Profile& p) { p.job.ranks = 4; }},
      {"nodes", [](Profile& p) { p.places = {{"a", 0}, {"b", 1}}; }},
      {"GPUs", [](Profile& p) { p.machine.gpus = {{"A100", {}}}; }},
      {"data", [](Profile& p) { p.job.data = "/other/images"; }},
      {"conditions",
       [](Profile& p) { std::erase_if(p.windows, [](auto& w) { return w.condition == Condition::hot; }); }}};
  for (const auto& [what, change] : cases) {
    Profile after = usual();
    change(after);
    const std::vector<Mismatch> found = job_mismatches(usual(), after);
    ASSERT_EQ(found.size(), 1u) << what;
    EXPECT_EQ(found.front().what, what);
    EXPECT_TRUE(setting_mismatches(usual(), after).empty()) << what;
  }
}

TEST(Comparable, WhatMayBeTheCause) {
  const std::vector<std::pair<const char*, ProfileChange>> cases{
      {"workers", [](Profile& p) { p.job.workers = 8; }},
      {"backend", [](Profile& p) { p.job.backend = "nccl"; }},
      {"host", [](Profile& p) { p.machine.hostname = std::string("b"); }},
      {"disk", [](Profile& p) { p.machine.disk = "vda ext4"; }},
      {"torch", [](Profile& p) { p.machine.versions["torch"] = "2.6"; }}};
  for (const auto& [what, change] : cases) {
    Profile after = usual();
    change(after);
    const std::vector<Mismatch> found = setting_mismatches(usual(), after);
    ASSERT_EQ(found.size(), 1u) << what;
    EXPECT_EQ(found.front().what, what);
    EXPECT_TRUE(job_mismatches(usual(), after).empty()) << what;
  }
}

TEST(Comparable, ADatasetIsKnownByItsSizeWhereItWasCounted) {
  const auto with_data = [](const char* folder, std::int64_t samples) {
    Profile profile = usual();
    profile.job.data = folder;
    profile.dataset_samples = samples;
    profile.dataset_bytes = 1000;
    return profile;
  };
  const Profile before = with_data("/slow/images", 10);
  EXPECT_TRUE(job_mismatches(before, with_data("/fast/images", 10)).empty());
  EXPECT_EQ(setting_mismatches(before, with_data("/fast/images", 10)).front().what, "data");
  EXPECT_EQ(job_mismatches(before, with_data("/slow/images", 11)).front().what, "samples");
  EXPECT_EQ(job_mismatches(before, usual()).front().what, "data");
}

}  // namespace stash
