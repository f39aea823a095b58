#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stash {

// What `nvidia-smi topo -m` prints here; nullopt: there is no such command, or it found no GPU.
std::optional<std::string> smi_topology_text();

// The lanes of a PCIe device.
struct PcieLanes {
  std::string address;  // 0000:3b:00.0
  int in_use = 0;
  int most = 0;  // that the device has
};

// Those of NVIDIA's GPUs. `devices` is the kernel's folder of PCIe devices; what it does not say is left out.
std::vector<PcieLanes> gpu_lanes(const std::filesystem::path& devices = "/sys/bus/pci/devices");

// What the maker calls the machine: on EC2 the instance type. nullopt: not said.
std::optional<std::string> product_name(const std::filesystem::path& file = "/sys/devices/virtual/dmi/id/product_name");

}  // namespace stash
