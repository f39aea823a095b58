#pragma once

#include <span>

#include "stash/models/graph.h"

namespace stash {

// The cost of one sample through `layer`, whose output shape is already known. `input_needs_gradient` is false
// where nothing before the layer is learned: its backward then makes the weight's gradient only.
Cost cost_of(const Layer& layer, std::span<const Shape> inputs, bool input_needs_gradient);

}  // namespace stash
