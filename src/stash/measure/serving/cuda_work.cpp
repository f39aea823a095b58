#include "stash/measure/serving/cuda_work.h"

#include <ATen/Functions.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <utility>

#include "stash/measure/engine/device.h"

namespace stash {
namespace {

constexpr std::size_t kMostRanges = 16;  // that are kept prepared

}  // namespace

CudaWork::CudaWork(BatchModel& model, c10::Device device, CudaStream stream, bool uses_graphs, bool divides_device)
    : basis_{.model = model, .device = device}, stream_(stream), whole_(basis_, {}, stream), current_(&whole_) {
  if (uses_graphs) basis_.pool = &pool_.emplace();
  if (divides_device) parts_.emplace(device);
}

CudaWork::~CudaWork() {
  preparer_.request_stop();
  changed_.notify_all();
}

void CudaWork::attach(const BatchMemory& memory) {
  for (std::size_t i = 0; i < memory.inputs().size(); ++i) {
    basis_.inputs.push_back(
        at::zeros_like(memory.input(i, memory.most_batch()), at::TensorOptions().device(basis_.device)));
    basis_.inputs.back().copy_(memory.input(i, memory.most_batch()));
  }
  synchronize_device(basis_.device);
}

RangeWork& CudaWork::measured_on(DeviceRange range) {
  if (range.count == 0) return whole_;
  if (!measured_ || measured_->range() != range) {
    measured_.reset();
    measured_ = std::make_unique<RangeWork>(basis_, range, parts_->make_stream(range));
  }
  return *measured_;
}

RangeWork& CudaWork::for_batch_on(DeviceRange range) {
  if (range == current_->range()) return *current_;
  const std::scoped_lock lock(mutex_);
  if (range.count == 0 || !parts_) return *(current_ = &whole_);
  const auto found = std::ranges::find(ready_, range, [](const auto& one) { return one->range(); });
  if (found != ready_.end()) {
    current_ = found->get();
  } else if (asked_ != range) {
    asked_ = range;
    if (!preparer_.joinable()) preparer_ = std::jthread([this](const std::stop_token& stop) { prepare(stop); });
    changed_.notify_all();
  }
  return *current_;
}

void CudaWork::prepare(const std::stop_token& stop) {
  const c10::InferenceMode inference;
  const c10::impl::VirtualGuardImpl guard(basis_.device.type());
  guard.setDevice(basis_.device);
  std::optional<DeviceRange> done;
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return asked_ && asked_ != done; })) {
    done = asked_;
    lock.unlock();
    std::unique_ptr<RangeWork> made = prepared(*done);
    lock.lock();
    if (!made) continue;
    forget_some();
    ready_.push_back(std::move(made));
    asked_.reset();
    done.reset();
  }
}

// nullptr: it cannot be had, and what is there goes on.
std::unique_ptr<RangeWork> CudaWork::prepared(DeviceRange range) {
  try {
    auto made = std::make_unique<RangeWork>(basis_, range, parts_->make_stream(range));
    for (const int rows : whole_.graph_sizes()) made->for_size(rows);
    return made;
  } catch (const std::exception&) {
    return nullptr;
  }
}

void CudaWork::forget_some() {
  if (ready_.size() < kMostRanges) return;
  const auto oldest = std::ranges::find_if(ready_, [&](const auto& one) { return one.get() != current_; });
  ready_.erase(oldest);
}

}  // namespace stash
