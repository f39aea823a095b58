#include "stash/view/profile_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "../core/contains.h"
#include "folder.h"
#include "stash/core/error.h"

namespace stash {

namespace {

using testing_support::profile_of_model;
using testing_support::TestFolder;

constexpr double kEnough_s = 60;

}  // namespace

TEST(ProfileFolder, SummarizesProfilesAndSaysWhyOthersAreNone) {
  const TestFolder folder;
  folder.write("a.json", profile_of_model("vgg11"));
  folder.write("b.json", "{}");
  folder.write("c.txt", "text");
  ProfileFolder files(folder.path());
  EXPECT_TRUE(files.refresh(kEnough_s));
  ASSERT_EQ(files.files().size(), 2u);
  for (const ListedFile& file : files.files()) {
    EXPECT_EQ(file.profile.has_value(), file.name == "a.json");
    EXPECT_EQ(file.why_not.empty(), file.name == "a.json");
    if (!file.profile) continue;
    EXPECT_EQ(file.profile->model, "vgg11");
    EXPECT_EQ(file.profile->batch, 64);
    EXPECT_EQ(file.profile->stall, Part::interconnect);
    EXPECT_NEAR(file.profile->stall_ratio, 0.41, 0.01);
    EXPECT_NEAR(file.profile->step_s, 0.0902, 1e-4);
  }
}

TEST(ProfileFolder, SeesFilesComeChangeAndGo) {
  const TestFolder folder;
  ProfileFolder files(folder.path());
  EXPECT_FALSE(files.refresh(kEnough_s));
  folder.write("a.json", profile_of_model("vgg11"));
  EXPECT_TRUE(files.refresh(kEnough_s));
  EXPECT_FALSE(files.refresh(kEnough_s));
  folder.write("a.json", profile_of_model("alexnet"));
  EXPECT_TRUE(files.refresh(kEnough_s));
  EXPECT_EQ(files.files().front().profile->model, "alexnet");
  std::filesystem::remove(folder.path() / "a.json");
  EXPECT_TRUE(files.refresh(kEnough_s));
  EXPECT_TRUE(files.files().empty());
}

TEST(ProfileFolder, FollowsNoLinksAndLeavesTheFolderByNoName) {
  const TestFolder outside, folder;
  outside.write("secret.json", profile_of_model("secret"));
  folder.write("a.json", profile_of_model("vgg11"));
  std::filesystem::create_symlink(outside.path() / "secret.json", folder.path() / "link.json");
  std::filesystem::create_directory(folder.path() / "below.json");
  ASSERT_EQ(mkfifo((folder.path() / "pipe.json").c_str(), 0600), 0);
  ProfileFolder files(folder.path());
  files.refresh(kEnough_s);
  ASSERT_EQ(files.files().size(), 1u);
  const std::string inside_path = "../" + outside.path().filename().string() + "/secret.json";
  for (const std::string& name : {std::string("link.json"), inside_path, (outside.path() / "secret.json").string(),
                                  std::string("./a.json"), std::string("below.json"), std::string("")}) {
    EXPECT_THROW(files.read(name), Error) << name;
  }
  EXPECT_EQ(files.read("a.json").job.model, "vgg11");
}

TEST(ProfileFolder, ReadsALargeFolderInPieces) {
  const TestFolder folder;
  for (const char* name : {"a.json", "b.json", "c.json"}) folder.write(name, profile_of_model("vgg11"));
  ProfileFolder files(folder.path());
  EXPECT_TRUE(files.refresh(-1));
  EXPECT_EQ(files.files().size(), 3u);
  for (const ListedFile& file : files.files()) EXPECT_FALSE(file.profile || !file.why_not.empty());
  EXPECT_TRUE(files.refresh(kEnough_s));
  for (const ListedFile& file : files.files()) EXPECT_TRUE(file.profile);
}

TEST(ProfileFolder, LongNamesInsideAreCut) {
  const TestFolder folder;
  folder.write("a.json", profile_of_model(std::string(100'000, 'x')));
  ProfileFolder files(folder.path());
  files.refresh(kEnough_s);
  EXPECT_LT(files.files().front().profile->model.size(), 300u);
}

TEST(ProfileFolder, WhatIsNoFolderIsAnError) {
  const TestFolder folder;
  folder.write("a.json", "{}");
  EXPECT_THROW(ProfileFolder(folder.path() / "a.json"), Error);
  EXPECT_THROW(ProfileFolder(folder.path() / "none"), Error);
}

}  // namespace stash
