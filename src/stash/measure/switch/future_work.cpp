#include "stash/measure/switch/future_work.h"

#include <algorithm>

namespace stash {
namespace {

class FutureWork : public c10d::Work {
 public:
  FutureWork(int rank, c10d::OpType op, FuturePtr future, std::vector<at::Tensor> tensors, WorkPtr real)
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
  WorkPtr real_;
};

}  // namespace

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

WorkPtr make_future_work(int rank, c10d::OpType op, FuturePtr future, std::vector<at::Tensor> tensors, WorkPtr real) {
  return c10::make_intrusive<FutureWork>(rank, op, std::move(future), std::move(tensors), std::move(real));
}

WorkPtr make_completed_work(int rank, c10d::OpType op, std::vector<at::Tensor> tensors) {
  FuturePtr future = make_future(tensors);
  future->markCompleted(c10::IValue(tensors));
  return make_future_work(rank, op, std::move(future), std::move(tensors), nullptr);
}

}  // namespace stash
