#pragma once

#include "stash/plan/gpt_plan.h"
#include "stash/predict/what_if.h"

namespace stash {

// Machines of the catalogue, with the links that `predict` describes. Error where the GPU's rates or the network are
// not known. `joins_others`: there are other nodes than these, so that one node needs a network too.
GptNodes gpt_nodes(const Instance& instance, int nodes, int gpus_per_node, const WhatIf& what_if,
                   bool joins_others = false);

}  // namespace stash
