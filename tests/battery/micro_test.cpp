#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "stash/battery/micro_decode.h"
#include "stash/battery/micro_memory.h"
#include "stash/battery/micro_storage.h"
#include "stash/battery/thread_windows.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

TEST(ThreadWindows, CountsDoubleUpToTheMost) {
  EXPECT_EQ(thread_counts(1), std::vector<int>{1});
  EXPECT_EQ(thread_counts(6), (std::vector<int>{1, 2, 4, 6}));
  EXPECT_EQ(thread_counts(8), (std::vector<int>{1, 2, 4, 8}));
}

TEST(ThreadWindows, EveryThreadWorksOnceInEveryWindow) {
  std::array<std::atomic<int>, 3> calls{};
  EXPECT_EQ(time_windows(3, 4, [&](int thread) { ++calls[static_cast<std::size_t>(thread)]; }).size(), 4u);
  for (const auto& count : calls) EXPECT_EQ(count, 5);  // one to warm up
}

TEST(Micro, MemoryIsTimedForEachNumberOfThreads) {
  const auto figures = measure_memory(2, 3 << 20);
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[1].setting, "threads=2");
  EXPECT_GT(*figures[0].median, 1e6);
  EXPECT_EQ(figures[0].samples.size(), 10u);
}

TEST(Micro, DecodingIsTimed) {
  const auto figures = measure_decoding(1);
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_GT(*figures[0].median, 1);
  EXPECT_LE(*figures[0].low, *figures[0].median);
}

TEST(Micro, StorageHasAFigureForEachWayOfReadingAndLeavesNothing) {
  const TemporaryFolder folder;
  const auto figures = measure_storage(folder.path(), 20 << 20);
  EXPECT_EQ(figures.size(), 12u);
  for (const Figure& figure : figures) {
    EXPECT_NE(figure.median.has_value(), !figure.why_absent.empty()) << figure.name;
    EXPECT_TRUE(figure.median || figure.setting == "cold") << figure.name;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Micro, AFolderThatIsNotThereIsAnErrorThatNamesIt) {
  EXPECT_NE(message_of<Error>([] { measure_storage("/nowhere", 1 << 20); }).find("/nowhere"), std::string::npos);
}

}  // namespace
}  // namespace stash
