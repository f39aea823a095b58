#include "stash/battery/battery_folder.h"

#include <gtest/gtest.h>

#include "battery_fixture.h"
#include "stash/battery/is_battery.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

using testing_support::profile_of;
using testing_support::sample_case;

struct BatteryFolderTest : testing::Test {
  BatteryFolderTest() { folder.make(); }

  TemporaryFolder temporary;
  BatteryFolder folder{temporary.path() / "vm"};
  Case one = sample_case();
};

TEST_F(BatteryFolderTest, ACaseIsFinishedWhenItsProfileIsWholeAndItsOwn) {
  EXPECT_FALSE(folder.finished(one));
  folder.write_finished(one, profile_of(one));
  ASSERT_TRUE(folder.finished(one));
  EXPECT_EQ(folder.finished(one)->job.model, "resnet18");
}

TEST_F(BatteryFolderTest, AnIncompleteProfileIsNotFinished) {
  Profile profile = profile_of(one);
  profile.complete = false;
  folder.write_finished(one, profile);
  EXPECT_FALSE(folder.finished(one));
}

TEST_F(BatteryFolderTest, AProfileWithOneRoundIsNotFinished) {
  Profile profile = profile_of(one);
  std::erase_if(profile.windows, [](const Window& window) { return window.round > 0; });
  folder.write_finished(one, profile);
  EXPECT_FALSE(folder.finished(one));
}

TEST_F(BatteryFolderTest, ADamagedProfileIsNotFinished) {
  temporary.write("vm/cases/" + one.name + ".json", "{\"schema_version\": 1, \"job\":");
  EXPECT_FALSE(folder.finished(one));
}

TEST_F(BatteryFolderTest, AProfileWithOtherFlagsIsNotFinished) {
  folder.write_finished(one, profile_of(one));
  one.job.bucket_bytes = 1;
  EXPECT_FALSE(folder.finished(one));
}

TEST_F(BatteryFolderTest, AFailureIsKeptForItsCaseAndGoesWhenItFinishes) {
  folder.write_failure(one, "rank 1: out of memory");
  EXPECT_EQ(folder.failure(one), "rank 1: out of memory");
  EXPECT_FALSE(folder.failure(sample_case("vgg11")));
  folder.write_finished(one, profile_of(one));
  EXPECT_FALSE(folder.failure(one));
}

TEST_F(BatteryFolderTest, ADamagedPlanIsAnErrorThatSaysWhatToDo) {
  EXPECT_FALSE(folder.plan());
  temporary.write("vm/battery.json", "[]");
  EXPECT_NE(message_of<Error>([&] { folder.plan(); }).find("remove it"), std::string::npos);
}

TEST_F(BatteryFolderTest, WhatAKilledBatteryLeftHalfWrittenIsRemoved) {
  folder.write_finished(one, profile_of(one));
  const auto half = temporary.write("vm/cases/.x.json.0123.tmp", "{");
  const auto scratch = temporary.write("vm/storage-files.abc/0", "0");
  folder.tidy();
  EXPECT_FALSE(std::filesystem::exists(half));
  EXPECT_FALSE(std::filesystem::exists(scratch.parent_path()));
  EXPECT_TRUE(folder.finished(one));
}

TEST_F(BatteryFolderTest, OnlyWholeProfilesAreListed) {
  folder.write_finished(one, profile_of(one));
  temporary.write("vm/cases/.half.json.0123.tmp", "{");
  temporary.write("vm/cases/notes.txt", "");
  EXPECT_EQ(folder.profile_names(), std::vector<std::string>{one.name});
  EXPECT_TRUE(is_battery(folder.path()));
  EXPECT_FALSE(is_battery(temporary.path()));
}

}  // namespace
}  // namespace stash
