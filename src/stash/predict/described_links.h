#pragma once

#include "stash/predict/described_cluster.h"

namespace stash {

// How the ranks of a node reach each other: by the rings that are found on the machine's topology, by the figures of
// its row where none is published, or as `what_if` has it.
void describe_links(DescribedCluster& described, const Instance& instance, const WhatIf& what_if,
                    const LinkRateLookup& rates);

// How nodes reach each other. Call it after describe_links.
void describe_network(DescribedCluster& described, const Instance& instance, const WhatIf& what_if,
                      const LinkRateLookup& rates);

}  // namespace stash
