#include "stash/input/storage_clock.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace stash {
namespace {

TEST(StorageClock, ServesOneReadAfterTheOther) {
  StorageClock clock(1000);  // a millisecond a byte
  EXPECT_EQ(clock.reserve(5'000'000, 10), 15'000'000);
  EXPECT_EQ(clock.reserve(6'000'000, 10), 25'000'000);
}

TEST(StorageClock, DoesNotSaveUpIdleTime) {
  StorageClock clock(1000);
  clock.reserve(0, 1);
  EXPECT_EQ(clock.reserve(100'000'000, 1), 101'000'000);
}

TEST(StorageClock, LosesNothingBetweenThreads) {
  StorageClock clock(1e9);  // a nanosecond a byte
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) clock.reserve(1, 7);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clock.reserve(1, 0), 1 + 4 * 1000 * 7);
}

}  // namespace
}  // namespace stash
