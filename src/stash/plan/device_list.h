#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stash/catalog/gpu.h"
#include "stash/catalog/instance.h"
#include "stash/plan/published_devices.h"

namespace stash {

inline constexpr int kMostPlannedDevices = 1 << 17;

// Equal devices, as they were asked for.
struct PlannedDevices {
  std::string name{};  // of the machine or the device
  int nodes = 1;
  int per_node = 1;
  bool named_by_machine = false;               // else by GPU, or by a publication
  const Instance* machine = nullptr;           // whose figures are used; nullptr: a publication's
  const Gpu* gpu = nullptr;                    // of `machine`
  const PublishedDevice* published = nullptr;  // nullptr: `machine` has the figures

  int count() const { return nodes * per_node; }
  std::string text() const;  // "64xTPUv2", "64xp4d.24xlarge"
};

// "64xTPUv2+64xTPUv3", "4xV100+4xT4", "p4d.24xlarge", "32xp4d.24xlarge+32xp5.48xlarge": devices, or machines with all
// their GPUs. GPUs by name are in the smallest machine of `instances` that has them all, else in the largest of which
// whole ones make up the number. `nodes` counts the machines of a list with one name that has no number. UsageError
// names what is unknown and the nearest; the result lives as long as `instances`.
std::vector<PlannedDevices> parse_device_list(std::string_view text, std::optional<int> nodes,
                                              std::span<const Instance> instances);

std::string text_of(std::span<const PlannedDevices> devices);  // as it was written

}  // namespace stash
