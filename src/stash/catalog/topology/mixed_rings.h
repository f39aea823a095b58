#pragma once

#include <span>

#include "stash/catalog/topology/ring_search.h"

namespace stash {

// The ring among two or more GPUs that NVLinks alone do not join: over NVLinks where there are some, else over PCIe.
NodeRings mixed_rings(const Topology& topology, std::span<const int> gpus);

}  // namespace stash
