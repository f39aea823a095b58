#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stash/fleet/replay/device_queue.h"

namespace stash {

struct RoutedDevice {
  DeviceQueue* device = nullptr;
  double weight = 0;  // above 0
};

// Weighted round robin: each device comes as often as its weight says, as evenly as possible.
class DeviceRouter {
 public:
  void set(std::span<const RoutedDevice> devices);
  bool empty() const { return turns_.empty(); }
  std::size_t devices() const { return devices_; }

  DeviceQueue& next() {
    at_ = at_ + 1 < turns_.size() ? at_ + 1 : 0;
    return *turns_[at_];
  }

 private:
  std::vector<DeviceQueue*> turns_;
  std::size_t at_ = 0;
  std::size_t devices_ = 0;
};

}  // namespace stash
