#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "stash/measure/events.h"
#include "stash/measure/switch/switches.h"

namespace stash {

// Counts and times what a script does, and changes nothing. Recording costs a few counters; a thread reports the sums
// now and then.
class ScriptWatch {
 public:
  ScriptWatch(int events_fd, int rank);
  ~ScriptWatch();
  ScriptWatch(const ScriptWatch&) = delete;
  ScriptWatch& operator=(const ScriptWatch&) = delete;

  void add_group(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::Device device, int number);
  void step_end();
  void add_wait_ns(std::int64_t ns) { waited_ns_.fetch_add(ns, std::memory_order_relaxed); }
  void end();  // reports once more

 private:
  void run();
  void report();

  Events events_;
  int rank_;
  std::shared_ptr<CollectiveLog> log_;
  Switches switches_;
  std::atomic<std::int64_t> first_ns_{0}, last_ns_{0}, steps_{0}, waited_ns_{0};
  std::mutex mutex_;
  std::condition_variable ended_changed_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace stash
