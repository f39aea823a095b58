#include "stash/measure/switch/injected_link.h"

#include <algorithm>

#include "stash/core/clock.h"
#include "stash/measure/switch/future_work.h"

namespace stash {

InjectedLink::InjectedLink(double bytes_per_s, EmulatedStream* stream)
    : bytes_per_s_(bytes_per_s), stream_(stream), thread_([this] { run(); }) {}

InjectedLink::~InjectedLink() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

c10::intrusive_ptr<c10d::Work> InjectedLink::carry(int rank, c10d::OpType op, c10::intrusive_ptr<c10d::Work> real,
                                                   double wire_bytes, std::vector<at::Tensor> tensors) {
  const std::int64_t ready_ns = stream_ != nullptr ? stream_->next_start_ns() : now_ns();
  busy_until_ns_ = std::max(busy_until_ns_, ready_ns) + nanoseconds(wire_bytes / bytes_per_s_);
  FuturePtr future = make_future(tensors);
  {
    const std::lock_guard lock(mutex_);
    transfers_.push_back({real, future, tensors, busy_until_ns_});
  }
  arrived_.notify_one();
  return make_future_work(rank, op, std::move(future), std::move(tensors), std::move(real));
}

void InjectedLink::run() {
  use_precise_sleep();
  std::unique_lock lock(mutex_);
  for (;;) {
    arrived_.wait(lock, [&] { return stop_ || !transfers_.empty(); });
    if (transfers_.empty()) return;
    Transfer transfer = std::move(transfers_.front());
    transfers_.pop_front();
    lock.unlock();
    try {
      transfer.real->wait();
      const std::int64_t moved_ns = now_ns();
      sleep_until_ns(transfer.deadline_ns);
      if (stream_ != nullptr) stream_->arrive(std::max(moved_ns, transfer.deadline_ns));
      transfer.done->markCompleted(c10::IValue(transfer.tensors));
    } catch (...) {
      transfer.done->setErrorIfNeeded(std::current_exception());
    }
    lock.lock();
  }
}

}  // namespace stash
