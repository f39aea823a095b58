#pragma once

#include "stash/fleet/traffic/load_trace.h"

namespace stash {

// Marks silences that are holes of the recording, and says so in the warnings: traffic flows before and after, and what
// is missing would have been at least a hundred requests. Slots at their edges that were recorded in part go too.
void mark_recording_holes(LoadTrace& trace);

// "day 2, 23:31 to 24:00": where slots of a trace are.
std::string slots_text(const LoadTrace& trace, std::size_t first, std::size_t last);

}  // namespace stash
