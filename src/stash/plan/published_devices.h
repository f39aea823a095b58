#pragma once

#include <span>
#include <string_view>

namespace stash {

// Accelerators as a publication describes them, for plans that are compared with it: a layer takes its operations at
// the peak, and every device has a link of its own to all others.
struct PublishedDevice {
  std::string_view name;
  double ops_per_s = 0;
  double memory_bytes = 0;
  double memory_bytes_per_s = 0;
  double link_bytes_per_s = 0;  // of one direction
  std::string_view source;
};

std::span<const PublishedDevice> published_devices();
const PublishedDevice* find_published_device(std::string_view name);  // in any case; nullptr: there is none

}  // namespace stash
