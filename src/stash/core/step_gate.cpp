#include "stash/core/step_gate.h"

#include "stash/core/clock.h"

namespace stash {

StepGate::StepGate(int free_steps, std::function<void()> settle) : left_(free_steps), settle_(std::move(settle)) {}

// The last step of a run: its clock stops, and the next run is waited for.
void StepGate::pass() {
  if (settle_) settle_();
  std::unique_lock lock(mutex_);
  stop_ns_ = now_ns();
  stopped_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return asked_ > 0 || open_; });
  stopped_ = false;
  left_.store(asked_ > 0 ? asked_ : 0, std::memory_order_relaxed);
  asked_ = 0;
  start_ns_ = now_ns();
}

void StepGate::wait_for_stop() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return (stopped_ && asked_ == 0) || ended_; });
  if (ended_) throw StepsEnded();
}

double StepGate::run(int steps) {
  wait_for_stop();
  if (steps <= 0) return 0;
  {
    const std::lock_guard lock(mutex_);
    asked_ = steps;
  }
  changed_.notify_all();
  wait_for_stop();
  const std::lock_guard lock(mutex_);
  return seconds(stop_ns_ - start_ns_);
}

void StepGate::open() {
  {
    const std::lock_guard lock(mutex_);
    open_ = true;
  }
  changed_.notify_all();
}

void StepGate::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

}  // namespace stash
