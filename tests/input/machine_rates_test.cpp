#include "stash/input/machine_rates.h"

#include <gtest/gtest.h>

#include "stash/core/error.h"
#include "temporary_folder.h"

namespace stash {
namespace {

TEST(MachineRates, ACoreDecodesWithinItsInterval) {
  const MeasuredRate rate = measure_decode_rate();
  EXPECT_GT(rate.per_s, 10);  // a hundredth of what any core does
  EXPECT_LE(rate.low_per_s, rate.per_s);
  EXPECT_GE(rate.high_per_s, rate.per_s);
}

TEST(MachineRates, StorageIsTimedOrUnknownAndLeavesNothing) {
  const TemporaryFolder folder;
  const auto rate = measure_storage_rate(folder.path(), 20 << 20);
  if (rate) {
    EXPECT_GT(rate->per_s, 1e5);
    EXPECT_LE(rate->low_per_s, rate->high_per_s);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(MachineRates, AFileSystemThatIsMemoryHasNoStorage) {
  if (!std::filesystem::is_directory("/dev/shm")) GTEST_SKIP() << "no /dev/shm here";
  EXPECT_FALSE(measure_storage_rate("/dev/shm", 10 << 20));
}

TEST(MachineRates, AFolderThatIsNotThereIsNamed) {
  try {
    measure_storage_rate("/no/such/folder", 1 << 20);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/no/such/folder"), std::string::npos);
  }
}

}  // namespace
}  // namespace stash
