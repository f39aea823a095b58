#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stash/fleet/market/market.h"

namespace stash {

// What a provider needs to know. The market outlives it.
struct ProviderSetup {
  const Market* market = nullptr;
  FleetObjective objective;
  std::filesystem::path folder;        // of the fleet; it exists
  std::filesystem::path program;       // stash itself
  std::string model = "resnet50";      // as `stash serve --model` takes it
  int port = 8000;                     // where requests go; 0: a free one
  double speed = 1;                    // of the fleet's clock
  std::string image;                   // of a container with `stash serve`
  std::string space = "default";       // the namespace of a cluster
  std::vector<std::string> metrics{};  // addresses that tell the load, in the text format of Prometheus
};

}  // namespace stash
