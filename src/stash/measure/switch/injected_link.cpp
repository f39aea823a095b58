#include "stash/measure/switch/injected_link.h"

#include <algorithm>

#include "stash/core/clock.h"

namespace stash {
namespace {

using FuturePtr = c10::intrusive_ptr<c10::ivalue::Future>;

FuturePtr make_future(const std::vector<at::Tensor>& tensors) {
  std::vector<c10::Device> devices;
  for (const at::Tensor& tensor : tensors) {
    const c10::Device device = tensor.device();
    if (!device.is_cpu() && std::find(devices.begin(), devices.end(), device) == devices.end()) {
      devices.push_back(device);
    }
  }
  return c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()), std::move(devices));
}

// A work whose state is that of its future. `real` is what runs underneath, null where nothing does.
class FutureWork : public c10d::Work {
 public:
  FutureWork(int rank, c10d::OpType op, FuturePtr future, std::vector<at::Tensor> tensors,
             c10::intrusive_ptr<c10d::Work> real)
      : c10d::Work(rank, op), future_(std::move(future)), tensors_(std::move(tensors)), real_(std::move(real)) {}

  bool isCompleted() override { return future_->completed(); }
  bool isSuccess() const override { return future_->completed() && !future_->hasError(); }
  std::exception_ptr exception() const override { return future_->hasError() ? future_->exception_ptr() : nullptr; }
  std::vector<at::Tensor> result() override { return tensors_; }
  void synchronize() override { future_->wait(); }
  bool wait(std::chrono::milliseconds) override {
    future_->waitAndThrow();
    return true;
  }
  FuturePtr getFuture() override { return future_; }
  // Who sent what came from anyone; where nobody did, another rank, since torch takes no rank for its own sender.
  int sourceRank() const override { return real_ ? real_->sourceRank() : (rank_ == 0 ? 1 : 0); }

 private:
  FuturePtr future_;
  std::vector<at::Tensor> tensors_;
  c10::intrusive_ptr<c10d::Work> real_;
};

}  // namespace

c10::intrusive_ptr<c10d::Work> make_completed_work(int rank, c10d::OpType op, std::vector<at::Tensor> tensors) {
  FuturePtr future = make_future(tensors);
  future->markCompleted(c10::IValue(tensors));
  return c10::make_intrusive<FutureWork>(rank, op, std::move(future), std::move(tensors), nullptr);
}

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
  return c10::make_intrusive<FutureWork>(rank, op, std::move(future), std::move(tensors), std::move(real));
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
