#pragma once

#include <span>
#include <vector>

#include "stash/advise/ranking.h"

namespace stash {

// By candidate: no other is faster and at most as dear, or cheaper and at most as slow. Equal ones are on the front
// together. Without prices the fastest are.
std::vector<bool> pareto_front(std::span<const RankedCandidate> candidates);

}  // namespace stash
