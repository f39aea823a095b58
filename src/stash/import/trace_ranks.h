#pragma once

#include "stash/import/timeline.h"
#include "stash/import/trace_ledger.h"

namespace stash {

// One for each GPU that ran kernels, or one for the process where none did; none without a step. `truncated`: the file
// ended too early. Uses the timeline up.
std::vector<TraceRank> ranks_of(Timeline& timeline, std::int64_t number, bool truncated);

}  // namespace stash
