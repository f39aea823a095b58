#pragma once

#include <string>

#include "stash/predict/described_cluster.h"

namespace stash {

// A measured machine with another number of ranks on each node: the hops of its rings are those that were measured,
// contention grows with every further rank as it did up to those that were measured; ranks that compute on fewer cores
// than there are ranks take turns. Error where no link was measured; what had to be assumed is added.
void use_ranks(DescribedCluster& described, int ranks_per_node, bool computes_on_cpu = false);

}  // namespace stash
