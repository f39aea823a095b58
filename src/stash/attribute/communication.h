#pragma once

#include <vector>

#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

// Of `interconnect` and `network`, what each process group costs, and last what remains: what shows only when several
// are off together, and groups that were not switched off alone. The times add up to both parts. Empty where no groups
// are known. `ledger` has its parts.
std::vector<GroupTime> communication_by_group(const Profile& profile, const Ledger& ledger);

}  // namespace stash
