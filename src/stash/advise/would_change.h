#pragma once

#include <string>
#include <vector>

#include "stash/advise/goal.h"
#include "stash/advise/ranking.h"

namespace stash {

// What would make another machine the best: prices, step times, another deadline or budget; and what the first, with
// its near-ties, can bear. A machine's price or step time changes for all its node counts. The first meets the goal.
std::vector<std::string> what_would_change(const Ranking& ranking, const Goal& goal, const AdviceQuestion& question);

}  // namespace stash
