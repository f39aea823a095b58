#include <gtest/gtest.h>

#include "stash/core/clock.h"
#include "stash/input/dataset/make_dataset.h"
#include "stash/input/pages/page_cache.h"
#include "stash/input/pipeline.h"
#include "stash/input/sample_reader.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

class ColdPipeline : public testing::Test {
 protected:
  void SetUp() override {
    make_image_dataset(folder_.path() / "set", {.images = 16, .width = 160, .height = 120, .classes = 2, .seed = 1});
    dataset_ = open_dataset(folder_.path() / "set", InputKind::images);
    SampleLocation location;
    dataset_->locate(0, location);
    const SampleFile file(location);
    evict_pages({file.fd()});
    const auto pages = count_pages({file.fd()});
    if (!pages) GTEST_SKIP() << "this system does not tell what is in the page cache";
    if (pages->cached > 0) GTEST_SKIP() << "this file system does not let go of its pages";
  }

  static PipelineOptions options() {
    PipelineOptions options;
    options.batch = 4;
    options.prefetch = 1;
    options.image_size = 32;
    return options;
  }

  static void run(Pipeline& pipeline, int batches) {
    for (int i = 0; i < batches; ++i) pipeline.release(pipeline.next());
  }

  static void restart(Pipeline& pipeline, bool cold) {
    pipeline.pause();
    pipeline.drain();
    pipeline.set_cold(cold);
    pipeline.reset_counters();
  }

  TemporaryFolder folder_;
  std::shared_ptr<const Dataset> dataset_;
};

TEST_F(ColdPipeline, EvictAndLoadTellWhatTheyAchieved) {
  Pipeline pipeline(dataset_, options());
  restart(pipeline, false);
  EXPECT_EQ(pipeline.evict_upcoming(3), 0.0);
  EXPECT_EQ(pipeline.load_upcoming(3), 1.0);
  EXPECT_EQ(pipeline.evict_upcoming(3), 0.0);
}

TEST_F(ColdPipeline, EveryReadIsColdThoughTheDataSetIsReadManyTimes) {
  Pipeline pipeline(dataset_, options());
  restart(pipeline, true);
  pipeline.evict_upcoming(4);
  pipeline.resume();
  run(pipeline, 12);
  pipeline.pause();
  const InputCounters counters = pipeline.counters();
  EXPECT_GE(counters.samples, 48);
  EXPECT_EQ(counters.cold_bytes, counters.read_bytes);
}

TEST_F(ColdPipeline, LoadedFilesAreReadFromThePageCache) {
  Pipeline pipeline(dataset_, options());
  restart(pipeline, false);
  pipeline.load_upcoming(4);
  pipeline.resume();
  run(pipeline, 2);
  pipeline.pause();
  EXPECT_EQ(pipeline.counters().cold_bytes, 0);
}

TEST_F(ColdPipeline, UpcomingIsExactlyWhatIsReadNext) {
  Pipeline pipeline(dataset_, options());
  restart(pipeline, false);
  pipeline.load_upcoming(4);   // the whole data set
  pipeline.evict_upcoming(1);  // and of it the first batch
  pipeline.resume();
  run(pipeline, 1);
  pipeline.pause();
  const InputCounters counters = pipeline.counters();
  ASSERT_GE(counters.samples, 4);
  EXPECT_GT(counters.cold_bytes, 0);
  EXPECT_LE(counters.cold_bytes, counters.read_bytes);
  restart(pipeline, false);
  pipeline.load_upcoming(4);
  EXPECT_EQ(pipeline.load_upcoming(4), 1.0);
}

TEST_F(ColdPipeline, SlowStorageHasItsRate) {
  PipelineOptions given = options();
  given.workers = 3;
  given.inject.read_bytes_per_s = 1e6;
  Pipeline pipeline(dataset_, given);
  restart(pipeline, true);
  const std::int64_t start_ns = now_ns();
  pipeline.resume();
  run(pipeline, 4);
  pipeline.pause();
  const double elapsed_s = seconds(now_ns() - start_ns);
  const double expected_s = static_cast<double>(pipeline.counters().cold_bytes) / 1e6;
  EXPECT_GE(elapsed_s, 0.98 * expected_s);
  EXPECT_LE(elapsed_s, 1.5 * expected_s + 0.5);
}

TEST(ColdTokens, AreReadColdAgainAndAgain) {
  const TemporaryFolder folder;
  make_token_file(folder.path() / "t", 200'000, 1000, 1);
  PipelineOptions options;
  options.batch = 4;
  options.seq_len = 1024;
  Pipeline pipeline(open_dataset(folder.path() / "t", InputKind::tokens, 1024), options);
  pipeline.pause();
  pipeline.drain();
  pipeline.set_cold(true);
  const auto ratio = pipeline.evict_upcoming(4);
  if (!ratio || *ratio > 0) GTEST_SKIP() << "this file system does not let go of its pages";
  pipeline.reset_counters();
  pipeline.resume();
  for (int i = 0; i < 60; ++i) pipeline.release(pipeline.next());
  pipeline.pause();
  EXPECT_EQ(pipeline.counters().cold_bytes, pipeline.counters().read_bytes);
}

}  // namespace
}  // namespace stash
