#include "stash/measure/engine/event_pool.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace stash {

// An event is made when it is first recorded: here, and not in a window. Only CUDA's are known to tell the time.
EventPool::EventPool(c10::Device device, std::size_t count) : device_(device) {
  if (!device_.is_cuda()) return;
  const c10::Stream stream = c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
  events_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    events_.emplace_back(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
    events_.back().record(stream);
  }
}

int EventPool::record() {
  if (events_.empty()) return kNone;
  const std::size_t place = recorded_.fetch_add(1, std::memory_order_relaxed);
  if (place >= events_.size()) return kNone;
  events_[place].record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  return static_cast<int>(place);
}

std::int64_t EventPool::between_ns(int from, int to) const {
  const double ms = events_.at(static_cast<std::size_t>(from)).elapsedTime(events_.at(static_cast<std::size_t>(to)));
  return static_cast<std::int64_t>(ms * 1e6);
}

}  // namespace stash
