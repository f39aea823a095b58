#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stash/advise/advice.h"
#include "stash/advise/ranking.h"

namespace stash {

// Where nothing is sure to meet the goal. `ranked` is best first.

// The smallest deadline or budget with which something would, with the other as it is. nullopt: it was not asked for,
// or nothing would.
std::optional<Needed> least_deadline(std::span<const RankedCandidate> ranked, const Goal& goal);
std::optional<Needed> least_budget(std::span<const RankedCandidate> ranked, const Goal& goal);

// How far the first is from the goal, and what it would take.
std::vector<std::string> what_it_would_take(std::span<const RankedCandidate> ranked, const Goal& goal,
                                            const AdviceQuestion& question);

}  // namespace stash
