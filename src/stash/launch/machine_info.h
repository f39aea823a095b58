#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "stash/core/machine.h"

namespace stash {

// This machine; `data` says whose disk is meant. GPUs and library versions are added by the ranks.
Machine describe_machine(const std::filesystem::path& data);

// NVIDIA GPUs that a process started here may use, found without their libraries.
int count_gpus();

// What the driver calls each GPU of this machine, "Tesla V100-SXM2-16GB"; empty where there is no driver.
std::vector<std::string> gpu_models();

// What the kernel says can be had without swapping, within the limit of this control group.
std::int64_t available_memory_bytes();

}  // namespace stash
