#include "stash/input/pipeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "jpeg_writer.h"
#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/input/dataset/make_dataset.h"
#include "support/eventually.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

constexpr int kImageSize = 32;

std::vector<std::uint8_t> picture(int level) {
  const std::vector<std::uint8_t> rgb(48 * 40 * 3, static_cast<std::uint8_t>(level));
  return write_jpeg(rgb, 48, 40);
}

// `images` gray pictures, each of its own level and class, so that a batch tells which ones it holds.
class PipelineTest : public testing::Test {
 protected:
  void add_images(int images) {
    for (int i = 0; i < images; ++i) folder_.write(fmt::format("c{}/image.jpg", 1000 + i), picture(i));
  }
  std::shared_ptr<const Dataset> dataset() const { return open_dataset(folder_.path(), InputKind::images); }
  static PipelineOptions options() {
    PipelineOptions options;
    options.batch = 4;
    options.workers = 2;
    options.image_size = kImageSize;
    return options;
  }

  TemporaryFolder folder_;
};

std::vector<std::int64_t> take_labels(Pipeline& pipeline, const PipelineOptions& options, int batches) {
  std::vector<std::int64_t> labels;
  for (int i = 0; i < batches; ++i) {
    const BatchView batch = pipeline.next();
    labels.insert(labels.end(), batch.labels, batch.labels + options.batch);
    pipeline.release(batch);
  }
  return labels;
}

void wait_until_full(const Pipeline& pipeline, const PipelineOptions& options) {
  EXPECT_TRUE(eventually([&] { return pipeline.queued_samples() >= options.batch * options.prefetch; }));
}

TEST_F(PipelineTest, DeliversNormalisedImagesWithTheirLabels) {
  add_images(8);
  Pipeline pipeline(dataset(), options());
  const BatchView batch = pipeline.next();
  EXPECT_EQ(batch.tokens, nullptr);
  for (int i = 0; i < 4; ++i) {
    const float* const image = batch.images + i * 3 * kImageSize * kImageSize;
    const float red = (static_cast<float>(batch.labels[i]) / 255 - 0.485F) / 0.229F;
    EXPECT_NEAR(image[0], red, 0.02);
    EXPECT_NEAR(image[kImageSize * kImageSize - 1], red, 0.02);
  }
}

TEST_F(PipelineTest, TheSeedDeterminesEveryPixelWhateverTheWorkers) {
  folder_.write("a/1.jpg", write_jpeg(test_picture(120, 90), 120, 90));
  folder_.write("a/2.jpg", write_jpeg(test_picture(90, 120), 90, 120));
  const auto pixels = [&](int workers, std::uint64_t seed) {
    PipelineOptions given = options();
    given.workers = workers;
    given.seed = seed;
    Pipeline pipeline(dataset(), given);
    std::vector<float> all;
    for (int i = 0; i < 3; ++i) {
      const BatchView batch = pipeline.next();
      all.insert(all.end(), batch.images, batch.images + 4 * 3 * kImageSize * kImageSize);
      pipeline.release(batch);
    }
    return all;
  };
  EXPECT_EQ(pixels(1, 1), pixels(3, 1));
  EXPECT_NE(pixels(1, 1), pixels(1, 2));
}

TEST_F(PipelineTest, ParkingAndWakingWorkersChangesNoSample) {
  add_images(16);
  const auto labels = [&](bool resizes) {
    PipelineOptions given = options();
    given.most_workers = 6;
    Pipeline pipeline(dataset(), given);
    std::vector<std::int64_t> all;
    for (int i = 0; i < 40; ++i) {
      if (resizes) pipeline.set_workers(1 + i * 5 % 6);
      const auto batch = take_labels(pipeline, given, 1);
      all.insert(all.end(), batch.begin(), batch.end());
    }
    return all;
  };
  EXPECT_EQ(labels(true), labels(false));
}

TEST_F(PipelineTest, AsManyWorkersAsWereStartedCanWork) {
  add_images(4);
  PipelineOptions given = options();
  given.most_workers = 3;
  Pipeline pipeline(dataset(), given);
  EXPECT_EQ(pipeline.workers(), 2);
  EXPECT_EQ(pipeline.most_workers(), 3);
  pipeline.set_workers(7);
  EXPECT_EQ(pipeline.workers(), 3);
  pipeline.set_workers(0);
  EXPECT_EQ(pipeline.workers(), 1);
}

TEST_F(PipelineTest, RanksReadDifferentSamples) {
  add_images(16);
  std::vector<std::int64_t> all;
  for (int rank = 0; rank < 2; ++rank) {
    PipelineOptions given = options();
    given.rank = rank;
    given.ranks = 2;
    Pipeline pipeline(dataset(), given);
    const auto labels = take_labels(pipeline, given, 2);
    all.insert(all.end(), labels.begin(), labels.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_TRUE(std::adjacent_find(all.begin(), all.end()) == all.end());
}

TEST_F(PipelineTest, QueuesNoMoreThanPrefetch) {
  add_images(4);
  Pipeline pipeline(dataset(), options());
  wait_until_full(pipeline, options());
  pipeline.pause();
  EXPECT_EQ(pipeline.queued_samples(), 8);
  EXPECT_EQ(pipeline.counters().samples, 8);
}

TEST_F(PipelineTest, NothingIsMadeWhilePaused) {
  add_images(4);
  Pipeline pipeline(dataset(), options());
  wait_until_full(pipeline, options());
  pipeline.pause();
  pipeline.release(pipeline.next());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(pipeline.counters().samples, 8);
  EXPECT_EQ(pipeline.queued_samples(), 4);
}

TEST_F(PipelineTest, AfterDrainTheFirstBatchWasMadeAfterResume) {
  add_images(4);
  Pipeline pipeline(dataset(), options());
  wait_until_full(pipeline, options());
  pipeline.pause();
  pipeline.drain();
  EXPECT_EQ(pipeline.queued_samples(), 0);
  EXPECT_THROW(pipeline.next(), Error) << "nothing is left from before";
  // Whatever comes now was read from what these files have become.
  for (int i = 0; i < 4; ++i) folder_.write(fmt::format("c{}/image.jpg", 1000 + i), picture(200));
  pipeline.resume();
  const BatchView batch = pipeline.next();
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(batch.images[i * 3 * kImageSize * kImageSize], (200 / 255.0 - 0.485) / 0.229, 0.02);
  }
}

TEST_F(PipelineTest, SkipsNamesAndReplacesBrokenFiles) {
  add_images(30);
  folder_.write("c1000/broken.jpg", "no image");
  folder_.write("c1001/empty.jpg", "");
  std::filesystem::create_symlink("/nonexistent", folder_.path() / "c1002/dangling.jpg");
  Pipeline pipeline(dataset(), options());
  const auto labels = take_labels(pipeline, options(), 10);
  pipeline.pause();
  const InputCounters counters = pipeline.counters();
  EXPECT_EQ(labels.size(), 40U);
  EXPECT_GE(counters.skipped, 3);
  EXPECT_EQ(counters.skipped_files.size(), 3U);
  EXPECT_GE(counters.samples, 40);
}

TEST_F(PipelineTest, TooManyBrokenFilesAreAnError) {
  add_images(20);
  for (int i = 0; i < 20; ++i) folder_.write(fmt::format("c1000/broken{}.jpg", i), "no image");
  Pipeline pipeline(dataset(), options());
  const std::string message = message_of<Error>([&] { take_labels(pipeline, options(), 100); });
  EXPECT_NE(message.find("could not be used"), std::string::npos) << message;
  EXPECT_NE(message.find("broken"), std::string::npos) << message;
}

TEST_F(PipelineTest, ADataSetOfBrokenFilesAloneIsAnError) {
  folder_.write("a/1.jpg", "no image");
  Pipeline pipeline(dataset(), options());
  EXPECT_NE(message_of<Error>([&] { pipeline.next(); }).find("none of the 1 samples"), std::string::npos);
}

TEST_F(PipelineTest, NextGivesUpAtTheDeadline) {
  add_images(4);
  PipelineOptions given = options();
  given.inject.prep_s_per_sample = 1000;
  given.deadline_s = 0.05;
  Pipeline pipeline(dataset(), given);
  EXPECT_NE(message_of<Error>([&] { pipeline.next(); }).find("no batch came within 0.05 s"), std::string::npos);
  EXPECT_THROW(pipeline.pause(), Error);
  // And the destructor does not wait for the thousand seconds either.
}

TEST_F(PipelineTest, InjectedTimeIsAddedToEverySample) {
  add_images(4);
  PipelineOptions given = options();
  given.workers = 1;
  given.prefetch = 1;
  given.inject.prep_s_per_sample = 0.01;
  Pipeline pipeline(dataset(), given);
  const std::int64_t start_ns = now_ns();
  take_labels(pipeline, given, 5);
  // Twenty samples, of which the first may have begun before the clock did.
  EXPECT_GE(now_ns() - start_ns, 185'000'000);
  const InputCounters counters = pipeline.counters();
  EXPECT_GT(counters.injected_s, 0.05);
  EXPECT_LT(counters.augment_s + counters.decode_s, counters.injected_s) << "what is slept is no work";
}

TEST_F(PipelineTest, OnTheWorkersTimeLineBatchesAreMadeAsOftenAsInjected) {
  PipelineOptions given = options();
  given.inject.prep_s_per_sample = 0.02;
  given.workers = 1;
  add_images(4);
  Pipeline pipeline(dataset(), given);
  std::vector<std::int64_t> made_ns;
  for (int i = 0; i < 4; ++i) {
    const BatchView batch = pipeline.next();
    EXPECT_LE(batch.made_ns, now_ns());
    made_ns.push_back(batch.made_ns);
    pipeline.release(batch);
  }
  // However late threads wake up; the first batch also waited for the worker to start.
  for (std::size_t i = 2; i < made_ns.size(); ++i) EXPECT_GE(made_ns[i] - made_ns[i - 1], given.batch * 20'000'000);
}

TEST_F(PipelineTest, RefusesMoreClassesThanTheModelHas) {
  add_images(5);
  PipelineOptions given = options();
  given.classes = 4;
  EXPECT_THROW(Pipeline(dataset(), given), Error);
}

TEST_F(PipelineTest, RefusesToBeUsedWrongly) {
  add_images(4);
  Pipeline pipeline(dataset(), options());
  EXPECT_THROW(pipeline.drain(), Error);
  EXPECT_THROW(pipeline.set_cold(true), Error);
  EXPECT_THROW(pipeline.evict_upcoming(1), Error);
  for (int i = 0; i < 3; ++i) pipeline.next();
  EXPECT_NE(message_of<Error>([&] { pipeline.next(); }).find("release one first"), std::string::npos);
  PipelineOptions wrong = options();
  wrong.batch = 0;
  EXPECT_THROW(Pipeline(dataset(), wrong), UsageError);
}

TEST_F(PipelineTest, ResetCountersStartsFromZero) {
  add_images(4);
  Pipeline pipeline(dataset(), options());
  wait_until_full(pipeline, options());
  pipeline.pause();
  EXPECT_GT(pipeline.counters().decode_s, 0);
  EXPECT_GT(pipeline.counters().read_bytes, 0);
  pipeline.reset_counters();
  EXPECT_EQ(pipeline.counters(), InputCounters{});
}

TEST(TokenPipeline, DeliversSequencesWithTheirSuccessor) {
  const TemporaryFolder folder;
  std::string content;
  for (std::uint16_t id = 0; id < 101; ++id) content.append(reinterpret_cast<const char*>(&id), 2);
  const auto dataset = open_dataset(folder.write("train.bin", content), InputKind::tokens, 10);
  PipelineOptions options;
  options.batch = 5;
  options.seq_len = 10;
  Pipeline pipeline(dataset, options);
  const BatchView batch = pipeline.next();
  EXPECT_EQ(batch.images, nullptr);
  for (int i = 0; i < 5; ++i) {
    const std::int64_t* const ids = batch.tokens + i * 11;
    EXPECT_EQ(ids[0] % 10, 0);
    for (int k = 0; k < 11; ++k) EXPECT_EQ(ids[k], ids[0] + k);
  }
}

TEST(TokenPipeline, Reads32BitIds) {
  const TemporaryFolder folder;
  make_token_file(folder.path() / "t", 1000, 100'000, 1);
  PipelineOptions options;
  options.batch = 8;
  options.seq_len = 99;
  Pipeline pipeline(open_dataset(folder.path() / "t", InputKind::tokens, 99), options);
  const BatchView batch = pipeline.next();
  EXPECT_GT(*std::max_element(batch.tokens, batch.tokens + 800), 65'535);
  EXPECT_LT(*std::max_element(batch.tokens, batch.tokens + 800), 100'000);
}

TEST(TokenPipeline, RefusesAnIdThatTheModelDoesNotKnow) {
  const TemporaryFolder folder;
  make_token_file(folder.path() / "t", 1000, 1000, 1);
  PipelineOptions options;
  options.seq_len = 99;
  options.classes = 500;
  Pipeline pipeline(open_dataset(folder.path() / "t", InputKind::tokens, 99), options);
  EXPECT_NE(message_of<Error>([&] { pipeline.next(); }).find("the model knows 500"), std::string::npos);
}

}  // namespace
}  // namespace stash
