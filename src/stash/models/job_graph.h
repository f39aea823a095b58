#pragma once

#include "stash/core/job.h"
#include "stash/models/graph.h"

namespace stash {

// The network that a job trains; UsageError for what it cannot be.
Graph graph_of(const Job& job);

}  // namespace stash
