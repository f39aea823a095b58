#pragma once

#include <filesystem>

#include "stash/core/job.h"
#include "stash/launch/crew.h"
#include "stash/launch/protocol/order.h"

namespace stash {

// The job as an order to the crew. Where nobody outside it takes part, its ranks meet in the file `store`.
Order crew_order(const Job& job, const CrewOptions& options, const std::filesystem::path& store);

}  // namespace stash
