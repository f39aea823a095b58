#include "stash/input/dataset/make_dataset.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>

#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/input/dataset/check_dataset.h"
#include "stash/input/dataset/token_file.h"
#include "support/file_size_limit.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr ImageDatasetOptions kSmall{.images = 12, .width = 80, .height = 60, .classes = 3, .seed = 5};

std::map<std::string, std::string> content_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[fs::relative(entry, folder).string()] = read_file(entry.path(), 1 << 24);
  }
  return files;
}

TEST(MakeImages, GivesTheSameBytesForTheSameOptions) {
  const TemporaryFolder folder;
  const DatasetSize size = make_image_dataset(folder.path() / "a", kSmall);
  make_image_dataset(folder.path() / "b", kSmall);
  ImageDatasetOptions other = kSmall;
  other.seed = 6;
  make_image_dataset(folder.path() / "c", other);
  EXPECT_EQ(size.samples, 12);
  EXPECT_EQ(content_of(folder.path() / "a"), content_of(folder.path() / "b"));
  EXPECT_NE(content_of(folder.path() / "a"), content_of(folder.path() / "c"));
}

TEST(MakeImages, MakesADataSetThatChecksOut) {
  const TemporaryFolder folder;
  const DatasetSize size = make_image_dataset(folder.path() / "a" / "", kSmall);
  const DatasetCheck found = check_dataset(folder.path() / "a");
  EXPECT_EQ(found.kind, InputKind::images);
  EXPECT_EQ(found.size.samples, 12);
  EXPECT_EQ(found.size.bytes, size.bytes);
  EXPECT_EQ(found.classes, 3);
  EXPECT_EQ(found.broken_count, 0);
}

TEST(MakeImages, HasImagenetsMeanFileSize) {
  const TemporaryFolder folder;
  const DatasetSize size = make_image_dataset(folder.path() / "a", {.images = 40});
  EXPECT_NEAR(static_cast<double>(size.bytes) / 40, 110e3, 10e3);
}

TEST(MakeImages, DoesNotTouchWhatIsThere) {
  const TemporaryFolder folder;
  const auto file = folder.write("a/precious", "x");
  EXPECT_THROW(make_image_dataset(folder.path() / "a", kSmall), Error);
  EXPECT_THROW(make_image_dataset(file, kSmall), Error);
  EXPECT_TRUE(fs::exists(file));
}

TEST(MakeImages, ReplacesAnEmptyFolderAndWhatAnInterruptedRunLeft) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "a");
  folder.write("a.partial/class_0000/image_9.jpg", "half");
  make_image_dataset(folder.path() / "a", kSmall);
  EXPECT_EQ(content_of(folder.path() / "a").size(), 12U);
  EXPECT_FALSE(fs::exists(folder.path() / "a.partial"));
}

TEST(MakeImages, LeavesNothingWhenWritingFails) {
  const TemporaryFolder folder;
  {
    const FileSizeLimit limit(100);
    const std::string message = message_of<Error>([&] { make_image_dataset(folder.path() / "a", kSmall); });
    EXPECT_NE(message.find("cannot write"), std::string::npos) << message;
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(MakeImages, RefusesImpossibleOptions) {
  const TemporaryFolder folder;
  EXPECT_THROW(make_image_dataset(folder.path() / "a", {.images = 0}), UsageError);
  EXPECT_THROW(make_image_dataset(folder.path() / "a", {.images = 1, .width = 0}), UsageError);
  EXPECT_THROW(make_image_dataset(folder.path() / "a", {.images = 1, .classes = 2}), UsageError);
}

TEST(MakeTokens, WritesIdsBelowTheVocabulary) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "tokens.bin";
  const DatasetSize size = make_token_file(path, 5000, 300, 1);
  const std::string content = read_file(path, 1 << 20);
  ASSERT_EQ(content.size(), 32U + 2 * 5000);
  EXPECT_EQ(size.bytes, 32 + 2 * 5000);
  int largest = 0;
  for (std::size_t i = 32; i < content.size(); i += 2) {
    std::uint16_t id = 0;
    std::memcpy(&id, content.data() + i, 2);
    largest = std::max<int>(largest, id);
  }
  EXPECT_LT(largest, 300);
  EXPECT_GT(largest, 290);
}

TEST(MakeTokens, GivesTheSameBytesForTheSameSeed) {
  const TemporaryFolder folder;
  for (const auto& [name, seed] : {std::pair{"a", 1}, {"b", 1}, {"c", 2}}) {
    make_token_file(folder.path() / name, 1000, 50'257, static_cast<std::uint64_t>(seed));
  }
  const auto content = content_of(folder.path());
  EXPECT_EQ(content.at("a"), content.at("b"));
  EXPECT_NE(content.at("a"), content.at("c"));
}

TEST(MakeTokens, LeavesNothingWhenWritingFails) {
  const TemporaryFolder folder;
  {
    const FileSizeLimit limit(100);
    EXPECT_THROW(make_token_file(folder.path() / "a", 1000, 300, 1), Error);
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(CheckDataset, NamesBrokenFiles) {
  const TemporaryFolder folder;
  make_image_dataset(folder.path() / "a", kSmall);
  folder.write("a/class_0001/broken.jpg", "no image");
  const DatasetCheck found = check_dataset(folder.path() / "a");
  EXPECT_EQ(found.size.samples, 13);
  ASSERT_EQ(found.broken_count, 1);
  EXPECT_NE(found.broken[0].path.find("broken.jpg"), std::string::npos);
}

TEST(CheckDataset, KnowsATokenFile) {
  const TemporaryFolder folder;
  make_token_file(folder.path() / "a", 1000, 300, 1);
  const DatasetCheck found = check_dataset(folder.path() / "a");
  EXPECT_EQ(found.kind, InputKind::tokens);
  EXPECT_EQ(found.size.samples, 1000);
  EXPECT_EQ(found.classes, 300);
}

}  // namespace
}  // namespace stash
