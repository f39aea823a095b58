#pragma once

#include <c10/core/Event.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "stash/measure/torch_headers.h"

namespace stash {

// Events on an accelerator's streams, made ahead. To record one takes the host some microseconds and makes nobody wait.
class EventPool {
 public:
  static constexpr int kNone = -1;

  EventPool(c10::Device device, std::size_t count);  // elsewhere than on CUDA: none

  // On this thread's current stream. kNone where none is left. From any thread.
  int record();
  // From one event to another, on the device's clock. The device is idle.
  std::int64_t between_ns(int from, int to) const;

 private:
  c10::Device device_;
  std::vector<c10::Event> events_;
  std::atomic<std::size_t> recorded_{0};
};

}  // namespace stash
