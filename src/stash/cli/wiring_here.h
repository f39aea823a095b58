#pragma once

#include <optional>
#include <span>

#include "stash/catalog/instance.h"
#include "stash/catalog/topology/topology_check.h"

namespace stash {

// How this machine's GPUs are wired, as its driver and kernel show it. `type` is what it should be; nullptr: what its
// firmware calls it, if `instances` know that name. nullopt: no driver shows it; what it shows but cannot be read is
// told as a warning.
std::optional<TopologyFindings> examine_this_machine(const Instance* type, std::span<const Instance> instances);

}  // namespace stash
