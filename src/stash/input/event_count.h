#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace stash {

// Waiting for a condition over sequentially consistent atomics. Telling costs one load where nobody waits.
class EventCount {
 public:
  // After a change that may make somebody's condition true.
  void notify() {
    if (waiting_.load() == 0) return;
    // Taking the lock waits until the waiter, which may just have looked, is asleep and can be woken.
    {
      const std::lock_guard lock(mutex_);
    }
    changed_.notify_all();
  }

  template <class Condition>
  void wait(Condition condition) {
    std::unique_lock lock(mutex_);
    waiting_.fetch_add(1);
    changed_.wait(lock, condition);
    waiting_.fetch_sub(1);
  }

  // False when the condition still does not hold at the deadline of CLOCK_MONOTONIC.
  template <class Condition>
  bool wait_until(std::int64_t deadline_ns, Condition condition) {
    const std::chrono::steady_clock::time_point deadline{std::chrono::nanoseconds(deadline_ns)};
    std::unique_lock lock(mutex_);
    waiting_.fetch_add(1);
    const bool holds = changed_.wait_until(lock, deadline, condition);
    waiting_.fetch_sub(1);
    return holds;
  }

 private:
  std::atomic<int> waiting_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace stash
