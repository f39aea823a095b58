#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "jpeg_writer.h"
#include "stash/core/cpu_clock.h"
#include "stash/core/error.h"
#include "stash/input/pipeline.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

constexpr int kBatches = 20;

// Time that the one worker decodes for a sample. It is its own CPU time as long as nobody takes its core away.
double decode_s(const std::shared_ptr<const Dataset>& dataset, double cpu_ratio) {
  PipelineOptions options;
  options.batch = 4;
  options.workers = 1;
  options.image_size = 224;
  options.cpu_ratio = cpu_ratio;
  Pipeline pipeline(dataset, options);
  for (int i = 0; i < kBatches; ++i) pipeline.release(pipeline.next());
  const InputCounters counters = pipeline.counters();
  return (counters.decode_s + counters.augment_s) / static_cast<double>(counters.samples);
}

}  // namespace

TEST(InputLoader, KeepsTheCoreBusyAsLongAsTheOtherLoaderWould) {
  const std::int64_t start_ns = thread_cpu_ns();
  keep_busy_until_cpu_ns(start_ns + 5'000'000);
  const std::int64_t used_ns = thread_cpu_ns() - start_ns;
  EXPECT_GE(used_ns, 5'000'000);
  EXPECT_LT(used_ns, 50'000'000);
}

TEST(InputLoader, ASampleOfAnotherLoaderTakesThatManyTimesTheCpu) {
  const TemporaryFolder folder;
  for (int i = 0; i < 8; ++i) {
    folder.write(fmt::format("c/{}.jpg", i), write_jpeg(test_picture(500, 375), 500, 375));
  }
  const auto dataset = open_dataset(folder.path(), InputKind::images);
  double own_s = 1e9, other_s = 1e9;  // the least of three, in turns: other processes may take the core away
  for (int i = 0; i < 3; ++i) {
    own_s = std::min(own_s, decode_s(dataset, 1));
    other_s = std::min(other_s, decode_s(dataset, 3.28));
  }
  EXPECT_GT(other_s, 2 * own_s);
  EXPECT_LT(other_s, 6 * own_s);
}

TEST(InputLoader, FewerThanItsOwnCpuTimeIsRefused) {
  const TemporaryFolder folder;
  folder.write("c/1.jpg", write_jpeg(test_picture(50, 40), 50, 40));
  PipelineOptions options;
  options.cpu_ratio = 0.5;
  EXPECT_THROW(Pipeline(open_dataset(folder.path(), InputKind::images), options), UsageError);
}

}  // namespace stash
