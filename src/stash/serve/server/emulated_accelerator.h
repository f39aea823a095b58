#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "stash/serve/batching/serve_settings.h"

namespace stash {

// A device that works on one batch at a time, for as long as it is told, without using the CPU. Who it works for learns
// of the end in one of the ways of CompletionWay.
class EmulatedAccelerator {
 public:
  EmulatedAccelerator();
  ~EmulatedAccelerator();
  EmulatedAccelerator(const EmulatedAccelerator&) = delete;
  EmulatedAccelerator& operator=(const EmulatedAccelerator&) = delete;

  void start(std::int64_t now_ns, std::int64_t work_ns, CompletionWay way);
  bool is_noticed(std::int64_t now_ns) const;  // that the work is done
  std::int64_t finish_ns() const { return finish_ns_; }
  // When to look again; the largest number: when wake_fd() can be read.
  std::int64_t look_ns() const;
  int wake_fd() const { return wake_fd_; }
  void take_wake();  // after wake_fd() could be read

 private:
  void wait_for_work();

  std::int64_t finish_ns_ = 0;
  CompletionWay way_ = CompletionWay::event;
  int wake_fd_;
  // What the waiting thread is told: the end that it waits for, and how. 0: nothing; -1: to end itself.
  std::atomic<std::int64_t> awaited_ns_{0};
  std::atomic<CompletionWay> awaited_way_{CompletionWay::event};
  std::atomic<bool> is_seen_{false};
  std::thread thread_;
};

}  // namespace stash
