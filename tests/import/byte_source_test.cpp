#include "stash/import/byte_source.h"

#include <gtest/gtest.h>

#include "made_trace.h"
#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

using testing_support::gzipped;
using testing_support::TraceFile;

std::string all_of(ByteSource& source) {
  std::string text, block(100'000, '\0');
  while (const std::size_t got = source.read(block)) text.append(block, 0, got);
  return text;
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919) + " ";
  return text;
}

}  // namespace

TEST(ByteSource, GzipIsKnownByItsBytesNotByItsName) {
  const std::string text = long_text();
  const TraceFile plain(text, "plain.json.gz"), packed(gzipped(text), "packed.json");
  EXPECT_EQ(all_of(*open_bytes(plain.path())), text);
  EXPECT_EQ(all_of(*open_bytes(packed.path())), text);
}

TEST(ByteSource, SeveralGzipPartsAreOneText) {
  const TraceFile file(gzipped("{\"a\":") + gzipped("1}"));
  const auto source = open_bytes(file.path());
  EXPECT_EQ(all_of(*source), "{\"a\":1}");
  EXPECT_FALSE(source->cut_short());
}

TEST(ByteSource, AGzipFileThatIsCutGivesWhatIsThere) {
  const std::string text = long_text(), packed = gzipped(text);
  const TraceFile file(packed.substr(0, packed.size() / 2));
  const auto source = open_bytes(file.path());
  const std::string read = all_of(*source);
  EXPECT_TRUE(source->cut_short());
  EXPECT_GT(read.size(), text.size() / 4);
  EXPECT_EQ(read, text.substr(0, read.size()));
}

TEST(ByteSource, ADamagedGzipFileGivesWhatStandsBeforeTheDamage) {
  const std::string text = long_text();
  std::string packed = gzipped(text);
  for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 50; ++i) packed[i] = static_cast<char>(~packed[i]);
  const TraceFile file(packed);
  const auto source = open_bytes(file.path());
  EXPECT_GT(all_of(*source).size(), text.size() / 4);
  EXPECT_TRUE(source->cut_short());
}

TEST(ByteSource, WhatCannotBeReadIsNamed) {
  EXPECT_NE(message_of([] { open_bytes("/no/such/trace.json"); }).find("/no/such/trace.json"), std::string::npos);
  EXPECT_THROW(open_bytes(testing::TempDir()), Error);
}

}  // namespace stash
