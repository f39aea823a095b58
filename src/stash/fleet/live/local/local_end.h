#pragma once

#include <filesystem>

#include "stash/fleet/live/local/local_state.h"

namespace stash {

// First nobody can send any more and what was accepted is answered, then all processes end; machines.json is removed.
// Takes a minute and a half at most.
void end_local_fleet(const std::filesystem::path& folder, const LocalState& state);

}  // namespace stash
