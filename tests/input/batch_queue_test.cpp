#include "stash/input/batch_queue.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "stash/core/clock.h"

namespace stash {
namespace {

constexpr std::int64_t kNow = 0;  // a deadline that has passed
std::int64_t soon() { return now_ns() + 10'000'000'000; }

// Makes samples until there is nothing more to do without waiting.
int make_all(BatchQueue& queue, std::vector<std::int64_t>* positions = nullptr) {
  int made = 0;
  while (queue.work_is_there()) {
    const Ticket ticket = *queue.begin_sample();
    if (positions != nullptr) positions->push_back(ticket.position);
    queue.end_sample(ticket, 0);
    ++made;
  }
  return made;
}

TEST(BatchQueue, PreparesNoMoreThanPrefetchBatches) {
  BatchQueue queue(4, 3);
  EXPECT_EQ(make_all(queue), 12);
  EXPECT_EQ(queue.prepared_samples(), 12);
}

TEST(BatchQueue, TakingABatchMakesRoomForOne) {
  BatchQueue queue(4, 3);
  make_all(queue);
  const auto slot = queue.take(kNow);
  ASSERT_TRUE(slot.has_value());
  EXPECT_EQ(queue.prepared_samples(), 8);
  EXPECT_EQ(make_all(queue), 4);
  queue.release(*slot);
  EXPECT_EQ(make_all(queue), 0);
}

TEST(BatchQueue, DoesNotOverwriteABatchThatIsHeld) {
  BatchQueue queue(2, 2);
  make_all(queue);
  const int first = *queue.take(kNow);
  make_all(queue);
  const int second = *queue.take(kNow);
  EXPECT_EQ(make_all(queue), 0);
  queue.release(second);
  EXPECT_EQ(make_all(queue), 0) << "the slot of the first batch comes next";
  queue.release(first);
  EXPECT_EQ(make_all(queue), 2);
}

TEST(BatchQueue, SaysWhenTheConsumerHoldsEverything) {
  BatchQueue queue(1, 1);
  make_all(queue);
  queue.take(kNow);
  make_all(queue);
  queue.take(kNow);
  EXPECT_TRUE(queue.next_is_held());
  EXPECT_FALSE(queue.take(kNow).has_value());
}

TEST(BatchQueue, GivesBatchesInOrderThoughSamplesAreFinishedOutOfOrder) {
  BatchQueue queue(2, 2);
  std::vector<Ticket> tickets;
  for (int i = 0; i < 4; ++i) tickets.push_back(*queue.begin_sample());
  queue.end_sample(tickets[2], 0);
  queue.end_sample(tickets[3], 0);
  EXPECT_FALSE(queue.take(kNow).has_value());
  queue.end_sample(tickets[1], 0);
  queue.end_sample(tickets[0], 0);
  EXPECT_EQ(queue.take(kNow), tickets[0].slot);
  EXPECT_EQ(queue.take(kNow), tickets[2].slot);
}

TEST(BatchQueue, ABatchWasMadeWhenTheLatestOfItsSamplesWas) {
  BatchQueue queue(3, 1);
  std::vector<Ticket> tickets;
  for (int i = 0; i < 3; ++i) tickets.push_back(*queue.begin_sample());
  queue.end_sample(tickets[1], 70);
  queue.end_sample(tickets[0], 90);
  queue.end_sample(tickets[2], 80);
  EXPECT_EQ(queue.made_ns(*queue.take(kNow)), 90);
}

TEST(BatchQueue, DrainForgetsFinishedAndHalfFinishedBatches) {
  BatchQueue queue(4, 2);
  for (int i = 0; i < 6; ++i) queue.end_sample(*queue.begin_sample(), 0);
  ASSERT_TRUE(queue.pause(soon()));
  queue.drain();
  EXPECT_EQ(queue.prepared_samples(), 0);
  EXPECT_FALSE(queue.next_is_ready());
  queue.resume();
  std::vector<std::int64_t> positions;
  EXPECT_EQ(make_all(queue, &positions), 8);
  EXPECT_EQ(positions.front(), 6) << "later samples, not the same again";
  EXPECT_TRUE(queue.take(kNow).has_value());
}

TEST(BatchQueue, DrainLeavesABatchThatIsHeld) {
  BatchQueue queue(2, 2);
  make_all(queue);
  const int held = *queue.take(kNow);
  make_all(queue);
  ASSERT_TRUE(queue.pause(soon()));
  queue.drain();
  queue.resume();
  std::set<int> slots;
  for (int i = 0; i < 4; ++i) {
    const Ticket ticket = *queue.begin_sample();
    slots.insert(ticket.slot);
    queue.end_sample(ticket, 0);
  }
  EXPECT_FALSE(slots.contains(held));
}

TEST(BatchQueue, UpcomingAreThePositionsThatComeNext) {
  BatchQueue queue(4, 2);
  make_all(queue);
  ASSERT_TRUE(queue.pause(soon()));
  EXPECT_EQ(queue.upcoming(3).begin, 8);
  EXPECT_EQ(queue.upcoming(3).end, 12);
  queue.drain();
  const BatchQueue::Positions next = queue.upcoming(2);
  queue.resume();
  std::vector<std::int64_t> positions;
  make_all(queue, &positions);
  EXPECT_EQ(positions.front(), next.begin);
  EXPECT_EQ(positions.back(), next.end - 1);
}

TEST(BatchQueue, PauseWaitsForTheSampleThatIsBeingMade) {
  BatchQueue queue(4, 2);
  const Ticket ticket = *queue.begin_sample();
  EXPECT_FALSE(queue.pause(kNow));
  std::thread worker([&] { queue.end_sample(ticket, 0); });
  EXPECT_TRUE(queue.pause(soon()));
  worker.join();
}

TEST(BatchQueue, StopWakesEverybody) {
  BatchQueue queue(1, 1);
  queue.end_sample(*queue.begin_sample(), 0);
  std::thread worker([&] { EXPECT_FALSE(queue.begin_sample().has_value()); });
  queue.stop();
  worker.join();
}

TEST(BatchQueue, LosesNoSampleBetweenManyWorkers) {
  constexpr int kBatch = 7, kBatches = 300;
  BatchQueue queue(kBatch, 3);
  std::vector<std::thread> workers;
  std::vector<std::vector<std::int64_t>> made(4);
  for (auto& positions : made) {
    workers.emplace_back([&] {
      while (const auto ticket = queue.begin_sample()) {
        positions.push_back(ticket->position);
        queue.end_sample(*ticket, 0);
      }
    });
  }
  for (int i = 0; i < kBatches; ++i) {
    const auto slot = queue.take(soon());
    ASSERT_TRUE(slot.has_value());
    queue.release(*slot);
    if (i % 50 == 49) {
      ASSERT_TRUE(queue.pause(soon()));
      queue.resume();
    }
  }
  queue.stop();
  for (std::thread& worker : workers) worker.join();
  std::set<std::int64_t> all;
  for (const auto& positions : made) {
    for (const std::int64_t position : positions) EXPECT_TRUE(all.insert(position).second);
  }
  EXPECT_GE(static_cast<int>(all.size()), kBatch * kBatches);
  EXPECT_EQ(*all.rbegin() + 1, static_cast<std::int64_t>(all.size()));
}

}  // namespace
}  // namespace stash
