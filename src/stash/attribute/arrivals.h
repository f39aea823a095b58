#pragma once

#include <vector>

namespace stash {

// For each rank, how far behind the median of the others it came to the collectives of a step: the largest of the
// step's, on average over the steps. `arrivals_s[rank][i]` is when the rank issued the window's i-th collective, on one
// clock; every rank has as many. Empty where there is nothing to compare.
std::vector<double> behind_others_s(const std::vector<std::vector<double>>& arrivals_s, int steps);

}  // namespace stash
