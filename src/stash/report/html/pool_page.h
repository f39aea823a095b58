#pragma once

#include <string>

#include "stash/share/pool/pool_state.h"

namespace stash {

// One file: the verdict, then workers, throughput and stall of each job over time.
std::string render_pool_html(const PoolState& state);

}  // namespace stash
