#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stash {

struct GpuInfo {
  std::string name;
  std::optional<std::int64_t> memory_bytes;
  bool operator==(const GpuInfo&) const = default;
};

// The machine a profile was made on; unknown is nullopt.
struct Machine {
  std::string hostname;
  std::string cpu;
  int cores = 0;  // that the job may use
  std::int64_t memory_bytes = 0;
  std::vector<GpuInfo> gpus;
  std::string kernel;
  std::optional<std::string> disk;              // device and file system of the dataset, "vda ext4"
  std::map<std::string, std::string> versions;  // library name to version: torch, nccl, python, stash, ...
  bool operator==(const Machine&) const = default;
};

}  // namespace stash
