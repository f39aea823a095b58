#pragma once

#include <vector>

#include "stash/catalog/gpu.h"
#include "stash/core/profile.h"
#include "stash/models/graph.h"

namespace stash {

// The network of a script as its operators show it, in the form of a built-in model: what scales one scales the other.
// Error names an operator that this version does not know.
Graph graph_of(const ScriptWork& work, const std::string& name);

// The layers of that graph with their recorded times, for the batch of the profile. The time in which a GPU waited for
// launches is shared among the layers by their kernels.
std::vector<LayerTime> layer_times_of(const ScriptWork& work, const Graph& graph, DType dtype);

// The seconds of a step that are the optimizer's, as recorded.
double update_s(const ScriptWork& work);

}  // namespace stash
