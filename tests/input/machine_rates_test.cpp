#include "stash/input/pages/machine_rates.h"

#include <gtest/gtest.h>

#include "stash/input/pages/page_cache.h"
#include "stash/input/pages/scratch_file.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

constexpr std::int64_t kFileBytes = 20 << 20;

bool can_evict_in(const std::filesystem::path& folder) {
  const ScratchFile file(folder, kFileBytes);
  const PageRange whole{file.fd(), 0, 0};
  evict_pages(whole);
  return is_evicted(whole);
}

TEST(MachineRates, ACoreDecodesWithinItsInterval) {
  const MeasuredRate rate = measure_decode_rate();
  EXPECT_GT(rate.per_s, 10);  // a hundredth of what any core does
  EXPECT_LE(rate.low_per_s, rate.per_s);
  EXPECT_GE(rate.high_per_s, rate.per_s);
}

TEST(MachineRates, StorageIsTimedWherePagesCanBeEvictedAndLeavesNothing) {
  const TemporaryFolder folder;
  const auto rate = measure_storage_rate(folder.path(), kFileBytes);
  EXPECT_EQ(rate.has_value(), can_evict_in(folder.path()));
  if (rate) {
    EXPECT_GT(rate->per_s, 1e5);
    EXPECT_GE(rate->low_per_s, 0);
    EXPECT_LE(rate->low_per_s, rate->per_s);
    EXPECT_GE(rate->high_per_s, rate->per_s);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(MachineRates, AFileSystemThatIsMemoryHasNoStorage) {
  if (!std::filesystem::is_directory("/dev/shm")) GTEST_SKIP() << "no /dev/shm here";
  EXPECT_FALSE(measure_storage_rate("/dev/shm", 10 << 20));
}

TEST(MachineRates, AFolderThatIsNotThereIsNamed) {
  EXPECT_NE(message_of([] { measure_storage_rate("/no/such/folder", 1 << 20); }).find("/no/such/folder"),
            std::string::npos);
}

}  // namespace
}  // namespace stash
