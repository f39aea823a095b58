#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stash {

// The name in catalog/gpus.csv of what a driver calls "Tesla V100-SXM2-32GB" or SkyPilot "H100-MEGA"; as it was where
// the catalogue has no such GPU. `memory_bytes` tells variants apart where the name does not; 0: unknown.
std::string catalogued_gpu_name(std::string_view model, std::int64_t memory_bytes = 0);

}  // namespace stash
