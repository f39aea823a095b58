#include "stash/input/skip_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

void try_samples(SkipLog& log, int count) {
  for (int i = 0; i < count; ++i) log.add_tried();
}

TEST(SkipLog, ToleratesATenth) {
  SkipLog log;
  try_samples(log, 1000);
  for (int i = 0; i < 100; ++i) log.add_skipped("file", "is broken");
  EXPECT_EQ(log.skipped(), 100);
}

TEST(SkipLog, RefusesMoreAndNamesAFile) {
  SkipLog log;
  try_samples(log, 20);
  for (int i = 0; i + 1 < kMinSkippedForError; ++i) log.add_skipped("file", "is broken");
  const std::string message = message_of<Error>([&] { log.add_skipped("the/last.jpg", "is empty"); });
  EXPECT_NE(message.find("16 of 20"), std::string::npos) << message;
  EXPECT_NE(message.find("'the/last.jpg', which is empty"), std::string::npos) << message;
}

TEST(SkipLog, KeepsTheNamesOfTheFirstDifferentFiles) {
  SkipLog log;
  try_samples(log, 10'000);
  for (int i = 0; i < 40; ++i) log.add_skipped(fmt::format("file{}", i / 2), "is broken");
  EXPECT_EQ(log.files().size(), kNamedSkips);
  EXPECT_EQ(log.files().back(), "file15");
}

TEST(SkipLog, ForgetsOnResetButStillKnowsTheShare) {
  SkipLog log;
  try_samples(log, 100);
  for (int i = 0; i < 10; ++i) log.add_skipped("file", "is broken");
  log.reset();
  EXPECT_EQ(log.skipped(), 0);
  EXPECT_TRUE(log.files().empty());
  const auto skip_ten = [&] {
    for (int i = 0; i < 10; ++i) log.add_skipped("file", "is broken");
  };
  EXPECT_THROW(skip_ten(), Error);
}

}  // namespace
}  // namespace stash
