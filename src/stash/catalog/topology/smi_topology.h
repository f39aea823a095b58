#pragma once

#include "stash/catalog/gpu.h"
#include "stash/catalog/topology/smi_matrix.h"
#include "stash/catalog/topology/topology.h"

namespace stash {

// The topology that a matrix shows. Rates are those of the GPU's generation, since the matrix has none: of PCIe slots
// of 16 lanes, of NVLinks. nullptr: PCIe 3 and NVLink 2. Network cards are left out: their rates are not known.
Topology topology_of_matrix(const SmiMatrix& matrix, const Gpu* gpu);

}  // namespace stash
