#include "stash/core/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "contains.h"
#include "support/file_size_limit.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {

namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
};

TEST_F(FileTest, WhatWasWrittenIsReadBack) {
  const std::string content = std::string("a\0b", 3) + std::string(100'000, 'x');
  write_file_atomically(folder_ / "a.json", content);
  EXPECT_EQ(read_file(folder_ / "a.json", 1 << 20), content);
  write_file_atomically(folder_ / "a.json", "");
  EXPECT_EQ(read_file(folder_ / "a.json", 1 << 20), "");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, FullDiskKeepsTheOldFileAndLeavesNoTemporary) {
  write_file_atomically(folder_ / "a.json", "old");
  std::string message;
  {
    const FileSizeLimit limit(1000);
    message = message_of([&] { write_file_atomically(folder_ / "a.json", std::string(5000, 'x')); });
  }
  EXPECT_CONTAINS(message, "cannot write");
  EXPECT_CONTAINS(message, "a.json");
  EXPECT_EQ(read_file(folder_ / "a.json", 100), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, MissingFolderIsNamed) {
  const std::string message = message_of([&] { write_file_atomically(folder_ / "no" / "a.json", "x"); });
  EXPECT_CONTAINS(message, (folder_ / "no").string() + "' does not exist; create it first");
}

TEST_F(FileTest, FolderIsNoFile) {
  EXPECT_CONTAINS(message_of([&] { write_file_atomically(folder_, "x"); }), "it is a folder");
  EXPECT_CONTAINS(message_of([&] { read_file(folder_, 100); }), "it is not a file");
}

TEST_F(FileTest, LinkIsWrittenThrough) {
  write_file_atomically(folder_ / "real", "old");
  fs::create_symlink("real", folder_ / "link");
  write_file_atomically(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "real", 100), "new");
}

TEST_F(FileTest, DeviceIsNeverReplaced) {
  write_file_atomically("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FileTest, MissingFileSaysWhy) {
  EXPECT_CONTAINS(message_of([&] { read_file(folder_ / "no", 10); }), "No such file or directory");
}

TEST_F(FileTest, FileAboveTheLimitIsRefused) {
  write_file_atomically(folder_ / "a", std::string(101, 'x'));
  EXPECT_CONTAINS(message_of([&] { read_file(folder_ / "a", 100); }), "at most 100 are read");
  EXPECT_EQ(read_file(folder_ / "a", 101).size(), 101u);
}

TEST_F(FileTest, PipeWithoutWriterIsRefusedAtOnce) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_CONTAINS(message_of([&] { read_file(folder_ / "pipe", 100); }), "it is not a file");
}

}  // namespace
}  // namespace stash
