#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "stash/fleet/export/fleet_files.h"

namespace stash {

// Parts of a pod, for Kubernetes and KServe.
nlohmann::json server_container(const FleetExport& fleet, const MachineType& type, const std::string& name);
nlohmann::json node_selector(const MachineType& type, bool spot);

}  // namespace stash
