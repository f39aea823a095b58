#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "stash/catalog/gpu.h"
#include "stash/core/job_device.h"
#include "stash/core/machine.h"

namespace stash {

// The name in catalog/gpus.csv of what a driver calls "Tesla V100-SXM2-32GB" or SkyPilot "H100-MEGA"; as it was where
// the catalogue has no such GPU. `memory_bytes` tells variants apart where the name does not; 0: unknown.
std::string catalogued_gpu_name(std::string_view model, std::int64_t memory_bytes = 0);

// What a device computes with: the GPU that is emulated, or the first of `gpus`. nullptr: none, or none that the
// catalogue has.
const Gpu* gpu_of(const JobDevice& device, std::span<const GpuInfo> gpus);

}  // namespace stash
