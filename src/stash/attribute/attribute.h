#pragma once

#include <vector>

#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

// An interval needs a spread, and a spread two rounds.
inline constexpr int kFewestRounds = 2;

// Of the chain that the job asks for (all, where it names none), the conditions that have a meaning on it:
// `apart` and `node` need a node with two ranks, `joined` two nodes, `staged` an accelerator with its own memory.
std::vector<Condition> present_conditions(const Job& job, int nodes = 1);

// Rounds that have a window for every condition measured.
int count_complete_rounds(const Profile& profile);

// Seconds of every step by cause, with 95 % intervals; docs/metrics.md has the formulas. Throws Error when
// fewer than kFewestRounds rounds are complete.
Ledger attribute(const Profile& profile);

}  // namespace stash
