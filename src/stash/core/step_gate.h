#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stdexcept>

namespace stash {

// Thrown in the commanding thread when no more steps will come.
struct StepsEnded : std::runtime_error {
  StepsEnded() : std::runtime_error("the steps have ended") {}
};

// Lets a thread that makes steps go for a number of them at a time; another thread commands. Inside a run a step
// costs the stepping thread one counter.
class StepGate {
 public:
  // The stepping thread goes on for `free_steps` before it waits for the first run. `settle` is called on it when
  // the last step of a run is done, before its clock is read (a device is given time to finish).
  StepGate(int free_steps, std::function<void()> settle);

  // The stepping thread's, after each step. Waits between runs.
  void step_end() {
    const std::int64_t left = left_.load(std::memory_order_relaxed) - 1;
    left_.store(left, std::memory_order_relaxed);
    if (left == 0) pass();
  }

  std::int64_t start_ns() const { return start_ns_; }  // of the run; the stepping thread's

  // The commander's. Returns the seconds from the start of the first step to the end of the last.
  double run(int steps);
  void wait_for_stop();  // until the stepping thread waits
  void open();           // the stepping thread never waits again
  void end();            // no more steps will come; any thread may say so

 private:
  void pass();

  std::atomic<std::int64_t> left_;  // of the run; negative when open
  const std::function<void()> settle_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;  // the stepping thread waits
  bool open_ = false;
  bool ended_ = false;
  int asked_ = 0;  // steps of the next run
  std::int64_t start_ns_ = 0;
  std::int64_t stop_ns_ = 0;
};

}  // namespace stash
