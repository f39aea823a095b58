#include "stash/input/sample_reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "stash/core/clock.h"
#include "stash/input/pages/page_cache.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

class Reading : public testing::Test {
 protected:
  std::string read(const SampleLocation& location, bool cold = false) {
    const auto bytes = reader_.read(location, cold, now_ns(), count_);
    return {bytes.begin(), bytes.end()};
  }
  std::string reason_for(const std::string& path) {
    return message_of<BrokenSample>([&] { read({path}); });
  }
  bool can_evict(const std::string& path) {
    const SampleFile file(SampleLocation{path});
    evict_pages({file.fd()});
    const auto pages = count_pages({file.fd()});
    return pages && pages->cached == 0;
  }

  TemporaryFolder folder_;
  std::atomic<bool> stopped_{false};
  SampleReader reader_{nullptr, stopped_};
  ReadCount count_;
};

TEST_F(Reading, GivesTheWholeFileOrThePartThatWasAsked) {
  const std::string path = folder_.write("file", "0123456789");
  EXPECT_EQ(read({path}), "0123456789");
  EXPECT_EQ(count_.bytes, 10);
  EXPECT_EQ(read({path, 3, 4}), "3456");
}

TEST_F(Reading, CountsWhatWasNotInThePageCache) {
  const std::string content(1 << 20, 'x');
  const std::string path = folder_.write("file", content);
  if (!can_evict(path)) GTEST_SKIP() << "this file system does not let go of its pages";
  read({path}, true);
  EXPECT_EQ(count_.cold_bytes, 1 << 20);
  read({path}, true);
  EXPECT_EQ(count_.cold_bytes, 1 << 20) << "a cold read leaves the file cold";
  read({path});
  EXPECT_EQ(count_.cold_bytes, 1 << 20);
  read({path});
  EXPECT_EQ(count_.cold_bytes, 0) << "and an ordinary one warm";
}

TEST_F(Reading, SlowsDownColdBytesOnly) {
  const std::string path = folder_.write("file", std::string(100'000, 'x'));
  if (!can_evict(path)) GTEST_SKIP() << "this file system does not let go of its pages";
  StorageClock storage(1e6);
  SampleReader slow(&storage, stopped_);
  const std::int64_t start_ns = now_ns();
  slow.read({path}, true, now_ns(), count_);
  const std::int64_t cold_ns = now_ns() - start_ns;
  EXPECT_GE(cold_ns, 100'000'000);
  slow.read({path}, false, now_ns(), count_);  // brings it into the cache, slowly
  const std::int64_t reserved_ns = storage.reserve(0, 0);
  slow.read({path}, false, now_ns(), count_);
  EXPECT_EQ(storage.reserve(0, 0), reserved_ns);
}

TEST_F(Reading, AStopEndsASlowRead) {
  const std::string path = folder_.write("file", std::string(100'000, 'x'));
  if (!can_evict(path)) GTEST_SKIP() << "this file system does not let go of its pages";
  StorageClock storage(1);  // more than a day
  SampleReader slow(&storage, stopped_);
  stopped_ = true;
  EXPECT_NO_THROW(slow.read({path}, true, now_ns(), count_));
}

TEST_F(Reading, SaysWhatIsWrongWithAFile) {
  std::filesystem::create_directory(folder_.path() / "folder.jpg");
  std::filesystem::create_symlink("/nonexistent/file", folder_.path() / "dangling.jpg");
  ASSERT_EQ(mkfifo((folder_.path() / "pipe.jpg").c_str(), 0600), 0);
  EXPECT_EQ(reason_for(folder_.path() / "folder.jpg"), "is not a file");
  EXPECT_EQ(reason_for(folder_.path() / "pipe.jpg"), "is not a file");
  EXPECT_NE(reason_for(folder_.path() / "dangling.jpg").find("cannot be opened"), std::string::npos);
  EXPECT_EQ(reason_for(folder_.write("empty.jpg", "")), "is empty");
  const std::string path = folder_.write("short", "abc");
  EXPECT_EQ(message_of<BrokenSample>([&] { read({path, 0, 4}); }), "has become shorter");
}

TEST_F(Reading, RefusesAHugeFileWithoutReadingIt) {
  const std::string path = folder_.write("huge.jpg", "x");
  std::filesystem::resize_file(path, kMaxSampleBytes + 1);
  EXPECT_NE(reason_for(path).find("at most"), std::string::npos);
}

}  // namespace
}  // namespace stash
