#pragma once

#include <vector>

#include "stash/core/profile.h"
#include "stash/launch/shared_state.h"
#include "stash/measure/engine/torch_network.h"

namespace stash {

// Every layer's own forward and backward time, each run alone on the output of the ones before it, with the
// device idle in between. Where the device has a clock of its own, by that.
std::vector<LayerTime> time_layers(const Graph& graph, const Job& job, Device& device, const TorchNetwork& network,
                                   const Batch& batch, RankState& state);

}  // namespace stash
