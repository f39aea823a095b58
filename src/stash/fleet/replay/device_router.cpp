#include "stash/fleet/replay/device_router.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stash {
namespace {

constexpr double kLeastTurns = 8;      // of the device with the smallest weight, in one round
constexpr double kMostTurns = 16'384;  // of all devices

}  // namespace

void DeviceRouter::set(std::span<const RoutedDevice> devices) {
  devices_ = devices.size();
  turns_.clear();
  if (devices.empty()) return;
  double sum = 0, least = devices.front().weight;
  for (const RoutedDevice& one : devices) {
    sum += one.weight;
    least = std::min(least, one.weight);
  }
  const double all = std::clamp(kLeastTurns * sum / least, kLeastTurns, kMostTurns);
  std::vector<std::pair<double, DeviceQueue*>> places;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const double turns = std::max(1.0, std::round(all * devices[d].weight / sum));
    // Devices of one weight share the places of a turn evenly too.
    const double shift = (static_cast<double>(d) + 0.5) / static_cast<double>(devices.size());
    for (double i = 0; i < turns; ++i) places.emplace_back((i + shift) / turns, devices[d].device);
  }
  std::ranges::stable_sort(places, {}, &std::pair<double, DeviceQueue*>::first);
  for (const auto& [place, device] : places) turns_.push_back(device);
  at_ = at_ % turns_.size();
}

}  // namespace stash
