#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "stash/core/clock.h"
#include "stash/input/batch_queue.h"
#include "support/eventually.h"

namespace stash {
namespace {

std::int64_t soon() { return now_ns() + 30'000'000'000; }

// Workers that write each sample's position where the batch expects it.
class Makers {
 public:
  Makers(BatchQueue& queue, int workers, std::int64_t batch) : queue_(queue), batch_(batch) {
    made_.resize(static_cast<std::size_t>(queue.slots() * batch));
    for (int worker = 0; worker < workers; ++worker) threads_.emplace_back([this, worker] { run(worker); });
  }
  ~Makers() {
    queue_.stop();
    for (std::thread& thread : threads_) thread.join();
  }
  Makers(const Makers&) = delete;
  Makers& operator=(const Makers&) = delete;

  std::int64_t at(int slot, std::int64_t place) const { return made_[static_cast<std::size_t>(slot * batch_ + place)]; }
  std::int64_t made_by_parked() const { return made_by_parked_.load(); }

 private:
  void run(int worker) {
    while (const auto ticket = queue_.begin_sample(worker)) {
      made_[static_cast<std::size_t>(ticket->slot * batch_ + ticket->place)] = ticket->position;
      if (worker > 0) made_by_parked_.fetch_add(1);
      queue_.end_sample(*ticket, 0);
    }
  }

  BatchQueue& queue_;
  std::int64_t batch_;
  std::vector<std::int64_t> made_;
  std::atomic<std::int64_t> made_by_parked_{0};
  std::vector<std::thread> threads_;
};

TEST(ParkedWorkers, AMillionSamplesComeOnceAndInOrderWhateverTheNumberOfWorkers) {
  constexpr std::int64_t kBatch = 500, kBatches = 2000;
  BatchQueue queue(static_cast<int>(kBatch), 3);
  const Makers makers(queue, 8, kBatch);
  std::int64_t expected = 0;
  for (std::int64_t batch = 0; batch < kBatches; ++batch) {
    queue.set_active_workers(static_cast<int>(1 + batch * 5 % 8));
    const auto slot = queue.take(soon());
    ASSERT_TRUE(slot.has_value()) << "batch " << batch;
    for (std::int64_t place = 0; place < kBatch; ++place) ASSERT_EQ(makers.at(*slot, place), expected++);
    queue.release(*slot);
  }
  EXPECT_EQ(expected, 1'000'000);
}

TEST(ParkedWorkers, DoNothingUntilTheyAreWoken) {
  BatchQueue queue(4, 2);
  queue.set_active_workers(1);
  const Makers makers(queue, 4, 4);
  for (int batch = 0; batch < 100; ++batch) queue.release(*queue.take(soon()));
  EXPECT_EQ(makers.made_by_parked(), 0);
  queue.set_active_workers(4);
  EXPECT_TRUE(eventually([&] {
    queue.release(*queue.take(soon()));
    return makers.made_by_parked() > 0;
  }));
}

TEST(ParkedWorkers, OneIsAlwaysLeft) {
  BatchQueue queue(4, 2);
  queue.set_active_workers(0);
  EXPECT_EQ(queue.active_workers(), 1);
  const Makers makers(queue, 2, 4);
  EXPECT_TRUE(queue.take(soon()).has_value());
}

TEST(ParkedWorkers, CanBePausedAndStopped) {
  BatchQueue queue(4, 2);
  const Makers makers(queue, 4, 4);
  queue.set_active_workers(2);
  EXPECT_TRUE(queue.pause(soon()));
  queue.set_active_workers(1);
  queue.resume();
  EXPECT_TRUE(queue.take(soon()).has_value());
}

}  // namespace
}  // namespace stash
