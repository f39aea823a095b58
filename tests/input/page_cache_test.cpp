#include "stash/input/pages/page_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "support/temporary_folder.h"

namespace stash {
namespace {

constexpr std::int64_t kPages = 64;

class PageCache : public testing::Test {
 protected:
  void SetUp() override {
    page_ = sysconf(_SC_PAGESIZE);
    const auto path = folder_.write("data", std::string(static_cast<std::size_t>(kPages * page_), 'x'));
    fd_ = open(path.c_str(), O_RDONLY);
    ASSERT_GE(fd_, 0);
    if (!count_pages({fd_, 0, 0})) GTEST_SKIP() << "this system does not tell what is in the page cache";
    evict_pages({fd_, 0, 0});
    if (count_pages({fd_, 0, 0})->cached > 0) GTEST_SKIP() << "this file system does not let go of its pages";
  }
  void TearDown() override { close(fd_); }

  TemporaryFolder folder_;
  std::int64_t page_ = 0;
  int fd_ = -1;
};

TEST_F(PageCache, EvictsPagesThatWereJustWritten) {
  const auto count = count_pages({fd_, 0, 0});
  EXPECT_EQ(count->cached, 0);
  EXPECT_EQ(count->total, kPages);
}

TEST_F(PageCache, LoadsAndEvictsAgain) {
  load_pages({fd_, 0, 0});
  EXPECT_EQ(count_pages({fd_, 0, 0})->cached, kPages);
  evict_pages({fd_, 0, 0});
  EXPECT_EQ(count_pages({fd_, 0, 0})->cached, 0);
}

TEST_F(PageCache, CountsThePagesThatARangeTouches) {
  EXPECT_EQ(count_pages({fd_, page_ - 1, 2})->total, 2);
  EXPECT_EQ(count_pages({fd_, 0, 1})->total, 1);
  EXPECT_EQ(count_pages({fd_, (kPages - 1) * page_, 100 * page_})->total, 1);
  EXPECT_EQ(count_pages({fd_, 2 * kPages * page_, page_})->total, 0);
}

TEST(PageCacheOfNothing, IsUnknown) { EXPECT_FALSE(count_pages({-1, 0, 0}).has_value()); }

}  // namespace
}  // namespace stash
