#pragma once

#include <string>
#include <string_view>

#include "stash/core/job.h"
#include "stash/models/graph.h"

namespace stash {

// Why a rank's training does not fit into the memory of a GPU; empty: it does.
std::string gpu_misfit(const Job& job, const Graph& graph, std::string_view gpu, double memory_bytes);

// Error when this host's ranks cannot fit in `available_bytes` of its memory; says how much there is.
void check_memory(const Job& job, const Graph& graph, int ranks_here, double available_bytes);

}  // namespace stash
