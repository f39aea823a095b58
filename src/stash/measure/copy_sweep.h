#pragma once

#include <vector>

#include "stash/core/link_time.h"
#include "stash/measure/engine/device.h"

namespace stash {

// Times copies between host memory and the accelerator by themselves, both ways, from pinned and from pageable memory.
// Empty where the device has no memory of its own.
std::vector<LinkTime> time_copies(Device& device);

}  // namespace stash
