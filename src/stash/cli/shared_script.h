#pragma once

#include <string>
#include <vector>

#include "stash/launch/pool/pool_seat.h"

namespace stash {

// Runs the user's command, whose DataLoaders work with as many of their workers as the pool gives them; returns its
// exit code. Nothing is measured but what the pool needs.
int run_shared_script(const std::vector<std::string>& command, const PoolSeat& seat);

}  // namespace stash
