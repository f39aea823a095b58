#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "stash/launch/serving/batch_board.h"

namespace stash {

// Tells a server that a batch has ended: whoever ends it writes the event; or a thread of its own learns of it,
// blocking, asking every 50 µs, or all the time.
class BatchNotifier {
 public:
  explicit BatchNotifier(int done_fd);
  ~BatchNotifier();
  BatchNotifier(const BatchNotifier&) = delete;
  BatchNotifier& operator=(const BatchNotifier&) = delete;

  void expect(std::uint64_t batch, BatchNotice way);  // before its work begins
  void ended(std::uint64_t batch, BatchNotice way);

 private:
  void wait_for_ends();

  int done_fd_;
  // What the waiting thread is told; 0: nothing, the largest number: to end itself.
  std::atomic<std::uint64_t> expected_{0};
  std::atomic<BatchNotice> way_{BatchNotice::event};
  std::atomic<std::uint64_t> ended_{0};
  std::thread thread_;
};

}  // namespace stash
