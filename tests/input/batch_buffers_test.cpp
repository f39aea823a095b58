#include "stash/input/batch_buffers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

TEST(BatchBuffers, SamplesAndLabelsLieApart) {
  const BatchBuffers buffers(2, 3, 100, {});
  auto* const first = static_cast<char*>(buffers.samples(0));
  EXPECT_EQ(buffers.sample(0, 2), first + 200);
  EXPECT_GE(reinterpret_cast<char*>(buffers.labels(0)), first + 300);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffers.labels(0)) % 8, 0U);
  EXPECT_NE(buffers.samples(0), buffers.samples(1));
}

TEST(BatchBuffers, UsesTheMemoryThatItIsGiven) {
  std::vector<std::size_t> asked;
  const BatchBuffers buffers(3, 2, 64, [&](std::size_t bytes) {
    asked.push_back(bytes);
    return std::shared_ptr<void>(std::malloc(bytes), std::free);
  });
  EXPECT_EQ(asked.size(), 3U);
}

TEST(BatchBuffers, SaysHowMuchMemoryThereIs) {
  const std::string message = message_of<Error>([] { BatchBuffers(3, 1'000'000'000, 600'000, {}); });
  EXPECT_NE(message.find("need"), std::string::npos) << message;
  EXPECT_NE(message.find("are available"), std::string::npos) << message;
}

TEST(BatchBuffers, SaysThatAnAllocatorGaveNothing) {
  EXPECT_THROW(BatchBuffers(1, 1, 64, [](std::size_t) { return std::shared_ptr<void>(); }), Error);
}

}  // namespace
}  // namespace stash
