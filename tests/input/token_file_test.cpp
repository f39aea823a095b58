#include "stash/input/dataset/token_file.h"

#include <gtest/gtest.h>

#include <string>

#include "stash/core/error.h"
#include "stash/input/dataset/make_dataset.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

std::string token_fault(const std::filesystem::path& path, int seq_len) {
  return message_of<Error>([&] { open_dataset(path, InputKind::tokens, seq_len); });
}

std::string header_bytes(const TokenFileHeader& header) {
  return {reinterpret_cast<const char*>(&header), sizeof(header)};
}

TEST(TokenFile, TakesAFileWithoutAHeaderAsBare16BitIds) {
  const TemporaryFolder folder;
  const auto dataset = open_dataset(folder.write("train.bin", std::string(2 * 21, 'x')), InputKind::tokens, 10);
  EXPECT_EQ(dataset->size(), 2);
  EXPECT_FALSE(dataset->classes().has_value());
  SampleLocation location;
  dataset->locate(1, location);
  EXPECT_EQ(location.offset_bytes, 20);
  EXPECT_EQ(location.bytes, 22);
}

TEST(TokenFile, ReadsItsOwnHeader) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "tokens.bin";
  make_token_file(path, 1000, 70'000, 1);
  const auto dataset = open_dataset(path, InputKind::tokens, 100);
  EXPECT_EQ(dataset->size(), 9);
  EXPECT_EQ(dataset->classes(), 70'000);
  SampleLocation location;
  dataset->locate(8, location);
  EXPECT_EQ(location.offset_bytes, 32 + 800 * 4);
  EXPECT_EQ(location.bytes, 101 * 4);
}

TEST(TokenFile, SaysWhatIsWrongWithAFile) {
  const TemporaryFolder folder;
  EXPECT_NE(token_fault(folder.path() / "none", 8).find("does not exist"), std::string::npos);
  EXPECT_NE(token_fault(folder.path(), 8).find("is not a file"), std::string::npos);
  const auto shorter = folder.write("short", std::string(16, 'x'));
  EXPECT_NE(token_fault(shorter, 8).find("has 8 tokens; a sequence length of 8 needs at least 9"), std::string::npos);
  EXPECT_NE(token_fault(folder.write("empty", ""), 8).find("has 0 tokens"), std::string::npos);
  EXPECT_THROW(open_dataset(shorter, InputKind::tokens, 0), UsageError);
}

TEST(TokenFile, RefusesAHeaderThatLies) {
  const TemporaryFolder folder;
  TokenFileHeader header;
  header.tokens = 1ULL << 63;
  EXPECT_NE(token_fault(folder.write("cut", header_bytes(header) + "abcd"), 1).find("cut off"), std::string::npos);
  header.tokens = 2;
  header.token_bytes = 0;
  EXPECT_NE(token_fault(folder.write("width", header_bytes(header) + "abcd"), 1).find("0 bytes an id"),
            std::string::npos);
  header.token_bytes = 2;
  header.version = 2;
  EXPECT_NE(token_fault(folder.write("newer", header_bytes(header) + "abcd"), 1).find("version 2"), std::string::npos);
}

}  // namespace
}  // namespace stash
