#pragma once

#include <vector>

#include "stash/core/stall.h"

namespace stash {

// A run of default precision knows a part to 2 % of the step: what saves less than this can hardly be seen again.
inline constexpr double kWorthRatio = 0.03;

// Those that differ from 0 and are worth it, the largest first; what only the first epoch has comes last.
std::vector<Stall> stalls_worth_a_step(const Ledger& ledger);

// Whether the input takes longer than all else, so that what is saved elsewhere is not saved at all.
bool input_limits(const Ledger& ledger, bool first_epoch);

}  // namespace stash
