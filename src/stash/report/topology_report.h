#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "stash/catalog/topology/topology_check.h"

namespace stash {

// How NCCL will use the machine's links, the slowest pair, and what the machine lacks. Ends with a new line.
std::string topology_text(const TopologyFindings& findings);

nlohmann::json topology_json(const TopologyFindings& findings);

}  // namespace stash
