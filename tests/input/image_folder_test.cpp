#include "stash/input/dataset/image_folder.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

std::string image_folder_fault(const fs::path& path) {
  return message_of<Error>([&] { open_dataset(path, InputKind::images); });
}

TEST(ImageFolder, SortsClassesAndFilesAndLabelsByClass) {
  const TemporaryFolder folder;
  for (const char* name : {"b/2.jpg", "b/1.JPEG", "a/x.JPG", "c/z.jpeg"}) folder.write(name, "x");
  const auto dataset = open_dataset(folder.path(), InputKind::images);
  ASSERT_EQ(dataset->size(), 4);
  EXPECT_EQ(dataset->classes(), 3);
  SampleLocation location;
  std::vector<std::string> names;
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < 4; ++i) {
    dataset->locate(i, location);
    names.push_back(fs::relative(location.path, folder.path()).string());
    labels.push_back(location.label);
    EXPECT_FALSE(location.bytes.has_value());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a/x.JPG", "b/1.JPEG", "b/2.jpg", "c/z.jpeg"}));
  EXPECT_EQ(labels, (std::vector<std::int64_t>{0, 1, 1, 2}));
}

TEST(ImageFolder, IgnoresWhatIsNoImageOfAClass) {
  const TemporaryFolder folder;
  for (const char* name : {"a/1.jpg", "a/.hidden.jpg", "a/readme.txt", "a/deeper/2.jpg", "a/folder.jpg/3.txt",
                           "top.jpg", ".git/4.jpg", "empty/notes.txt"}) {
    folder.write(name, "x");
  }
  const auto dataset = open_dataset(folder.path(), InputKind::images);
  EXPECT_EQ(dataset->size(), 1);
  EXPECT_EQ(dataset->classes(), 1);
}

TEST(ImageFolder, KeepsADanglingLinkForTheReaderToName) {
  const TemporaryFolder folder;
  folder.write("a/1.jpg", "x");
  fs::create_symlink("/nonexistent/2.jpg", folder.path() / "a/2.jpg");
  EXPECT_EQ(open_dataset(folder.path(), InputKind::images)->size(), 2);
}

TEST(ImageFolder, FollowsLinksToClassFolders) {
  const TemporaryFolder folder, elsewhere;
  elsewhere.write("1.jpg", "x");
  fs::create_directory_symlink(elsewhere.path(), folder.path() / "a");
  EXPECT_EQ(open_dataset(folder.path(), InputKind::images)->size(), 1);
}

TEST(ImageFolder, SaysWhatIsWrongWithAFolder) {
  const TemporaryFolder folder;
  EXPECT_NE(image_folder_fault(folder.path() / "none").find("does not exist"), std::string::npos);
  EXPECT_NE(image_folder_fault(folder.path()).find("has no class folders"), std::string::npos);
  EXPECT_NE(image_folder_fault(folder.write("1.jpg", "x")).find("is not a folder"), std::string::npos);
  EXPECT_NE(image_folder_fault(folder.path()).find("JPEG files but no class folders"), std::string::npos);
  folder.write("a/1.png", "x");
  EXPECT_NE(image_folder_fault(folder.path()).find("no .jpg or .jpeg file"), std::string::npos);
}

}  // namespace
}  // namespace stash
